/* packed: packed data of a call with a request. They are packed when the call begins. The result is
 * unpacked when the program waits for the request or tests it.
 *
 * Any thread may advance the operation, without calling MPI (progress/thread.h). Only threads of
 * the program make the calls into MPI that the datatypes or the operation need: before the
 * operation, and after it with a copy of its result. */
#ifndef FTC_PROTOCOLS_PACKED_H
#define FTC_PROTOCOLS_PACKED_H

#include "collective.h"

struct ftc_packed {
    bool gives; /* whether this rank gives any data */
    unsigned char *given;
    size_t bytes;         /* bytes of given; SIZE_MAX: there was no memory for them */
    bool takes;           /* whether this rank has a result that is not unpacked yet */
    unsigned char *taken; /* copy of the value of an operation that carries all data; NULL: none */
};

/* Packs the data that @plan gives into @packed, to which the plan points from then on. Returns an
 * MPI error code. Called with the library's lock held. */
int ftc_packed_make(struct ftc_packed *packed, struct ftc_plan *plan);

/* Copies the result of the operation into plan->packed. Returns an MPI error code. */
int ftc_packed_take(struct ftc_plan *plan);

/* Frees the packed data of @plan, if it has any. */
void ftc_packed_close(struct ftc_plan *plan);

/* ---- of any call, packed or not ---- */

/* Gives this rank's data, packed or not, to the protocol: to the memory from plan->room(), or as
 * plan->value. If native MPI has to carry out the call, gives a block without data with note
 * FTC_BLOCK_REFUSES instead. Returns an MPI error code. */
int ftc_packed_give(struct ftc_plan *plan);

/* Returns the result of the operation; NULL if this rank has none, or if its length is invalid. */
const void *ftc_packed_result(const struct ftc_plan *plan);

#endif
