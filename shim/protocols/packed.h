/* packed: the data of a call with a request, packed when the call begins, and its result, unpacked
 * when the program waits for the request or tests it.
 *
 * The operation goes on in any thread, without MPI (progress/thread.h). The program's own threads
 * do what needs calls into MPI because of its datatypes or operation: before the operation, and
 * after it with a copy of its result. */
#ifndef FTC_PROTOCOLS_PACKED_H
#define FTC_PROTOCOLS_PACKED_H

#include "collective.h"

struct ftc_packed {
    unsigned char *given; /* this rank's value */
    unsigned char *taken; /* the result; NULL: none yet, or none for this rank */
    unsigned char *room;  /* as large as that, for what is combined in the end */
};

/* Makes the value that @plan gives, which keeps @packed from now on. Returns an MPI error code.
 * With the library's lock held. */
int ftc_packed_make(struct ftc_packed *packed, struct ftc_plan *plan);

/* Returns what this rank gives to the operation; NULL without memory. */
const void *ftc_packed_give(struct ftc_plan *plan);

/* Copies the result of the operation. Returns an MPI error code. */
int ftc_packed_take(struct ftc_plan *plan);

/* Gives the program what was taken. Returns an MPI error code. */
int ftc_packed_unpack(const struct ftc_plan *plan);

/* Frees the packed data of @plan, if there are any. */
void ftc_packed_close(struct ftc_plan *plan);

/* ---- for the collectives ---- */

/* Room for this rank's value; NULL without memory. */
void *ftc_packed_room(struct ftc_plan *plan, size_t bytes);

/* Enlarges that buffer and keeps its contents, for calls whose total size no rank knows. */
void *ftc_packed_widen(struct ftc_plan *plan, size_t bytes);

/* The result of the operation; NULL: none. */
const void *ftc_packed_result(const struct ftc_plan *plan);

#endif
