/* problem: what a program finds wrong, on standard error. Only the first ten of each rank are
 * printed. The program has a variable `problems', which counts them. */
#ifndef PROBLEM_H
#define PROBLEM_H

#include <stdio.h>

#define PROBLEM_OF(program, rank, ...)                                                             \
    do {                                                                                           \
        if (problems++ < 10) {                                                                     \
            fprintf(stderr, program ": rank %d: ", rank);                                          \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
        }                                                                                          \
    } while (0)

#endif
