/* facts: what the library must know of the datatype and operation of a call.
 *
 * A value is shipped as the span of memory from the first to the last byte of count elements.
 * Predefined types and operations are looked up in a table that is filled once; for others native
 * MPI is asked, through a communicator of this process alone whose errors are returned, so that
 * invalid arguments raise their error only in the native call that they are passed to. */
#ifndef FTC_FACTS_H
#define FTC_FACTS_H

#include "combine.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ftc_facts {
    bool contiguous; /* elements follow each other without gaps */
    bool commutative;
    MPI_Aint true_lb; /* from the buffer's address to the first byte of the span */
    MPI_Aint extent, true_extent;
    ftc_combine_fn kernel; /* NULL: PMPI_Reduce_local */
};

/* Called in MPI_Init; 0 or -1. */
int ftc_facts_open(void);

/* False if native MPI would reject the datatype, the operation, or both together. */
bool ftc_facts(MPI_Datatype datatype, MPI_Op op, struct ftc_facts *facts);

/* Bytes of the span of @count >= 1 elements. */
size_t ftc_span_bytes(const struct ftc_facts *facts, MPI_Count count);

/* Where the span starts, from the buffer's address: with a negative extent the last element comes
 * first. */
ptrdiff_t ftc_span_start(const struct ftc_facts *facts, MPI_Count count);

/* Copies the span out of the program's buffer. */
void ftc_span_read(void *span, const void *buffer, MPI_Count count, const struct ftc_facts *facts);

/* Copies the elements of a span into the program's buffer and leaves the gaps there as they are.
 * Returns an MPI error code. */
int ftc_span_write(void *buffer, const void *span, MPI_Count count, MPI_Datatype datatype,
                   const struct ftc_facts *facts);

#endif
