/* Stands before the C library's allocator and counts; the memory itself comes from where it always
 * does. */
#include "count_allocations.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The C library's own names of its allocator. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static atomic_ullong calls;

unsigned long long bench_allocations(void)
{
    return atomic_load(&calls);
}

static void count(void)
{
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
}

void *malloc(size_t bytes)
{
    count();
    return __libc_malloc(bytes);
}

void *calloc(size_t number, size_t bytes)
{
    count();
    return __libc_calloc(number, bytes);
}

void *realloc(void *old, size_t bytes)
{
    count();
    return __libc_realloc(old, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    count();
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    count();
    *memory = __libc_memalign(alignment, bytes);
    return *memory ? 0 : ENOMEM;
}
