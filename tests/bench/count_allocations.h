/* A library to preload that counts the process's allocations. */
#ifndef BENCH_COUNT_ALLOCATIONS_H
#define BENCH_COUNT_ALLOCATIONS_H

/* Calls of malloc, calloc, realloc and the aligned ones so far. Weak: null if the library is not
 * there. */
__attribute__((weak)) unsigned long long bench_allocations(void);

#endif
