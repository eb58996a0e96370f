#include "memory.h"

#include <err.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

void *memory_resize(void *old, size_t bytes)
{
    void *p = realloc(old, bytes);

    if (!p)
        err(2, "%zu bytes", bytes);
    return p;
}

void *memory_zeroed(size_t count, size_t bytes)
{
    void *p = calloc(count, bytes);

    if (!p)
        err(2, "%zu times %zu bytes", count, bytes);
    return p;
}

void *memory_sparse(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);

    if (p == MAP_FAILED)
        err(2, "%zu bytes", bytes);
    madvise(p, bytes, MADV_NOHUGEPAGE);
    return p;
}

void memory_sparse_free(void *start, size_t bytes)
{
    if (bytes > 0)
        munmap(start, bytes);
}

void memory_forget(void *start, size_t bytes)
{
    uintptr_t first = ((uintptr_t)start + PAGE - 1) / PAGE * PAGE;
    uintptr_t end = ((uintptr_t)start + bytes) / PAGE * PAGE;

    if (first < end && madvise((void *)first, end - first, MADV_DONTNEED) != 0)
        err(2, "madvise");
}
