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
    bool gives; /* whether this rank gives any data */
    unsigned char *given;
    size_t bytes;         /* of these; SIZE_MAX: there is no memory for them */
    bool takes;           /* whether there is a result for this rank, which is not unpacked yet */
    unsigned char *taken; /* the value with it, of one operation */
};

/* Packs what @plan gives, which keeps @packed from now on. Returns an MPI error code. With the
 * library's lock held. */
int ftc_packed_make(struct ftc_packed *packed, struct ftc_plan *plan);

/* Copies the result of the operation. Returns an MPI error code. */
int ftc_packed_take(struct ftc_plan *plan);

/* Frees the packed data of @plan, if there are any. */
void ftc_packed_close(struct ftc_plan *plan);

/* ---- of any call, packed or not ---- */

/* Has this rank's data written where plan->room() says. Returns an MPI error code. */
int ftc_packed_give(struct ftc_plan *plan);

/* Returns the result of the operation; NULL: there is none for this rank. */
const void *ftc_packed_result(const struct ftc_plan *plan);

#endif
