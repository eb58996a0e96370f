/* course: how a call goes whose data have no room in one operation (setting large): with a data
 * phase before it (pipelined.h), in rounds of blocks (rounds.h), or in slices (segmented.h). */
#ifndef FTC_COLLECTIVES_COURSE_H
#define FTC_COLLECTIVES_COURSE_H

#include "pipelined.h"
#include "rounds.h"
#include "segmented.h"

/* A call from its first operation to its last. */
struct ftc_course {
    union {
        struct ftc_pipelined pipelined;
        struct ftc_rounds rounds;
        struct ftc_segmented segmented;
    };
};

/* Whether the protocol of @plan has a course. */
bool ftc_course_is_of(const struct ftc_plan *plan);

/* Begins with the call of @plan, which stays until the end and keeps @course. */
void ftc_course_open(struct ftc_course *course, struct ftc_plan *plan);

/* ---- of a plan that has a course ---- */

/* The next operation. Without memory for it there is no contribution. */
void ftc_course_request(const struct ftc_plan *plan, struct ftc_loop_request *request);

/* After it. Returns an MPI error code; plan->is_again tells whether it is not over. */
int ftc_course_deliver(const struct ftc_plan *plan);

/* ---- of one that has, or none ---- */

/* It is over, with a result or without; of that, what has been taken stays until
 * ftc_course_free(). */
void ftc_course_close(const struct ftc_plan *plan);
void ftc_course_free(const struct ftc_plan *plan);

#endif
