/* plan: choice of the protocol for a call by its arguments, and the operations that carry the call
 * out. */
#ifndef FTC_COLLECTIVES_PLAN_H
#define FTC_COLLECTIVES_PLAN_H

#include "progress/loop.h"
#include "protocols/collective.h"
#include "protocols/pipelined.h"
#include "protocols/rounds.h"
#include "protocols/segmented.h"

/* Examines @call, which must stay valid as long as @plan does, and selects its protocol. Returns
 * FTC_FALLBACK_NONE if the library carries it out, else the reason why native MPI does. */
enum ftc_fallback ftc_plan_make(struct ftc_plan *plan, const struct ftc_call *call);

/* Selects the protocol (protocols/select.h) of a plan whose arguments have been examined. @obstacle
 * is the answer of the policy. With @has_turned_out it was found in the result of an operation. */
void ftc_plan_select(struct ftc_plan *plan, enum ftc_fallback obstacle, bool has_turned_out);

/* State that a protocol keeps of a call. */
union ftc_plan_state {
    struct ftc_pipelined pipelined;
    struct ftc_segmented segmented;
    struct ftc_rounds rounds;
};

/* Describes the next operation of a call in @request. plan->state must point to a union
 * ftc_plan_state. Returns false if there is no operation because the root is dead or memory is
 * short. The call's MPI error code is then in *@rv. */
bool ftc_plan_request(struct ftc_plan *plan, struct ftc_loop_request *request, int *rv);

/* Notes that this rank is in the operation, so that mismatched calls are found. The note holds
 * until ftc_mismatch_leave(). */
void ftc_plan_enter(const struct ftc_plan *plan);

/* Takes the result of the operation and excludes the ranks that it found dead. Returns the call's
 * MPI error code. After MPI_SUCCESS, plan->is_again says whether another operation follows. If
 * plan->turned_out is set, native MPI has to carry out the call on all ranks. */
int ftc_plan_finish(struct ftc_plan *plan, enum ftc_loop_outcome outcome);

/* Ends the call, which has completed or failed. Data that were taken stay valid until
 * ftc_plan_free(). */
void ftc_plan_close(const struct ftc_plan *plan);

/* Frees the data that were taken. */
void ftc_plan_free(const struct ftc_plan *plan);

#endif
