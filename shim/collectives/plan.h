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

/* Selects the protocol (protocols/select.h) of a plan that has been examined. @obstacle is the
 * answer of the policy, or has turned out in the result of an operation. */
void ftc_plan_select(struct ftc_plan *plan, enum ftc_fallback obstacle, bool has_turned_out);

/* The state that a protocol keeps of a call. */
union ftc_plan_state {
    struct ftc_pipelined pipelined;
    struct ftc_segmented segmented;
    struct ftc_rounds rounds;
};

/* The next operation of a call that is carried out here; plan->state is a union ftc_plan_state.
 * False, with its MPI error code in @rv: there is none, because the root is dead or memory is
 * short. */
bool ftc_plan_request(struct ftc_plan *plan, struct ftc_loop_request *request, int *rv);

/* The call is in that operation, for ranks that look for mismatched calls, until
 * ftc_mismatch_leave(). */
void ftc_plan_enter(const struct ftc_plan *plan);

/* After the operation: takes its result, and leaves out whom it found dead. Returns the call's
 * MPI error code: without an error, plan->is_again tells whether another operation follows. With
 * plan->turned_out native MPI is to carry the call out, on all ranks. */
int ftc_plan_finish(struct ftc_plan *plan, enum ftc_loop_outcome outcome);

/* End the call, with a result or without, and free what has been taken. */
void ftc_plan_close(const struct ftc_plan *plan);
void ftc_plan_free(const struct ftc_plan *plan);

#endif
