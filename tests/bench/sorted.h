/* Samples in ascending order, for medians and percentiles. */
#ifndef BENCH_SORTED_H
#define BENCH_SORTED_H

#include <stdlib.h>

static inline int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static inline void sort(double *sample, int count)
{
    qsort(sample, (size_t)count, sizeof *sample, by_size);
}

#endif
