/* Memory that all ranks of a job on one host share, and a barrier in it. The benchmarks use it for
 * everything that is not measured, so that nothing but the measured calls goes through MPI. With
 * BENCH_PAGE it is that file, for hosts that are made of namespaces of one machine. */
#ifndef BENCH_SHARED_PAGE_H
#define BENCH_SHARED_PAGE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_MAX_RANKS = 256, BENCH_MARKS = 8 };

struct shared_page {
    _Alignas(64) _Atomic uint32_t arrived;
    _Alignas(64) _Atomic uint32_t phase;
    _Alignas(64) int32_t decision; /* rank 0's, valid for all after the next barrier */
    uint64_t
        mark_ns[BENCH_MARKS]; /* instants that all can see, also of ranks that are dead by now */
    double value[BENCH_MAX_RANKS]; /* what each rank has measured */
};

/* Collective over MPI_COMM_WORLD, after MPI_Init. The job is aborted if the page cannot be had. */
struct shared_page *shared_page_open(void);

/* Waits for @ranks ranks, spinning first and then yielding; at once the latter if ranks outnumber
 * cores. */
void shared_barrier(struct shared_page *page, int ranks);

/* The decision of rank 0, for all. */
int shared_decision(struct shared_page *page, int rank, int ranks, int decision);

/* The largest of what the ranks have measured, on all. */
double shared_max(struct shared_page *page, int rank, int ranks, double value);

/* Their sum, on all. */
double shared_sum(struct shared_page *page, int rank, int ranks, double value);

/* CLOCK_MONOTONIC, which is the same for all processes of a host. */
uint64_t clock_ns(void);

#endif
