/* parcel: what a call with a request gives, packed when it is begun, and what it takes, unpacked
 * when the program looks.
 *
 * Its operation goes on in any thread, without MPI (progress/thread.h). What needs calls into MPI,
 * because of its datatypes or operation, is done by the program's own threads: before the operation
 * and, with a copy of its result, after it. */
#ifndef FTC_COLLECTIVES_PARCEL_H
#define FTC_COLLECTIVES_PARCEL_H

#include "collective.h"

struct ftc_parcel {
    unsigned char *given; /* this rank's value */
    unsigned char *taken; /* the result; NULL: none yet, or none for this rank */
    unsigned char *room;  /* as large as that, for what is combined in the end */
};

/* Makes the value that @plan gives, which keeps @parcel from now on. Returns an MPI error code.
 * With the library's lock held. */
int ftc_parcel_pack(struct ftc_parcel *parcel, struct ftc_plan *plan);

/* Returns what this rank gives to the operation; NULL without memory. */
const void *ftc_parcel_give(struct ftc_plan *plan);

/* Copies the result of the operation. Returns an MPI error code. */
int ftc_parcel_take(struct ftc_plan *plan);

/* Gives the program what was taken. Returns an MPI error code. */
int ftc_parcel_unpack(const struct ftc_plan *plan);

/* Frees the parcel of @plan, if there is one. */
void ftc_parcel_close(struct ftc_plan *plan);

/* ---- for the collectives ---- */

/* Room for this rank's value; NULL without memory. */
void *ftc_parcel_room(struct ftc_plan *plan, size_t bytes);

/* Enlarges that buffer and keeps its contents, for calls whose total size no rank knows. */
void *ftc_parcel_widen(struct ftc_plan *plan, size_t bytes);

/* The result of the operation; NULL: none. */
const void *ftc_parcel_result(const struct ftc_plan *plan);

#endif
