/* plan: from a call's arguments to who carries it out, and to the operation that does. */
#ifndef FTC_COLLECTIVES_PLAN_H
#define FTC_COLLECTIVES_PLAN_H

#include "progress/loop.h"
#include "protocols/collective.h"
#include "protocols/pipelined.h"
#include "protocols/rounds.h"
#include "protocols/segmented.h"

/* Looks at @call, which stays for the plan's lifetime; FTC_FALLBACK_NONE: it is carried out here.
 */
enum ftc_fallback ftc_plan_make(struct ftc_plan *plan, const struct ftc_call *call);

/* Selects the protocol (protocols/select.h) of a plan that has been examined, for ftc_plan_make().
 * @obstacle is the answer of the policy. @turned_out: it is that the data are too large, as the
 * result of the operation has told. */
void ftc_plan_select(struct ftc_plan *plan, enum ftc_fallback obstacle, bool turned_out);

/* ---- protocols of several operations ---- */

/* The state that the protocol keeps of a call. */
union ftc_plan_state {
    struct ftc_pipelined pipelined;
    struct ftc_segmented segmented;
    struct ftc_rounds rounds;
};

/* Whether the protocol of @plan takes several operations. */
bool ftc_plan_takes_steps(const struct ftc_plan *plan);

/* Begins with these operations. @plan keeps @state. */
void ftc_plan_open(struct ftc_plan *plan, union ftc_plan_state *state);

/* End them, with a result or without, and free what has been taken. They do nothing for a plan that
 * was not opened. */
void ftc_plan_close(const struct ftc_plan *plan);
void ftc_plan_free(const struct ftc_plan *plan);

/* ---- an operation ---- */

/* The operation of a call that is carried out here. False, with its MPI error code in @rv: there is
 * none, because the root is dead or memory is short. */
bool ftc_plan_request(struct ftc_plan *plan, struct ftc_loop_request *request, int *rv);

/* The call is in that operation, for ranks that look for mismatched calls, until
 * ftc_mismatch_leave(). */
void ftc_plan_enter(const struct ftc_plan *plan);

/* After the operation: delivers its result, and leaves out whom it found dead. Returns the call's
 * MPI error code: without an error, plan->is_again tells whether another operation follows. With
 * plan->turned_out native MPI is to carry the call out, on all ranks. */
int ftc_plan_finish(struct ftc_plan *plan, enum ftc_loop_outcome outcome);

#endif
