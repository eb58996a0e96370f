/* The calls that the latency benchmark measures: one row of a table each. */
#ifndef BENCH_MEASURED_H
#define BENCH_MEASURED_H

#include <stdbool.h>
#include <stdint.h>

/* One rank's side of a call. The buffers change in each iteration, so that no call repeats the one
 * before. */
struct buffers {
    double *send, *recv;
    int count; /* elements of MPI_DOUBLE, of one block where ranks have one each */
    int rank, ranks;
    int64_t iteration;
    bool is_ours; /* not native, where both sides are measured */
    bool direct;  /* call the MPI library past all others; for MPI_Allreduce alone */
};

struct measured_call {
    const char *name;
    bool takes_bytes;
    bool has_blocks; /* one a rank in one of the buffers */
    /* false: back to back, the mean over the loop. true: a shared-memory barrier before each,
     * because some ranks would otherwise run ahead; the time from the barrier to the return of the
     * call. */
    bool separated;
    void (*call)(struct buffers *b);
    /* Rank that gets a result in this iteration, or ALL_RANKS, or NO_RANK. */
    int (*receiver)(const struct buffers *b);
    /* What the changed elements of its first block are, or of the last rank's (from_last). */
    double (*right)(const struct buffers *b);
    bool from_last;
};

enum { ALL_RANKS = -1, NO_RANK = -2 };

/* After MPI_Init. */
void measured_open(int ranks);

/* NULL for an unknown name. */
const struct measured_call *measured_find(const char *name);

/* Its request is made before it is measured, and its starts are not counted. */
bool measured_is_kept(const struct measured_call *call);

/* Changes one element in each cache line of the send buffer. */
void buffers_change(struct buffers *b);

/* Ends the job with a message if what this iteration has changed did not arrive as it should. */
void buffers_check(const struct buffers *b, const struct measured_call *call);

#endif
