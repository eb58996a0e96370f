#include "carry_out.h"

#include "plan.h"
#include "program/coverage.h"
#include "program/error.h"
#include "program/native_call.h"
#include "progress/execute.h"
#include "progress/queue.h"
#include "protocols/combine.h"

static int carry_out_once(struct ftc_plan *plan)
{
    struct ftc_loop_request request;
    enum ftc_loop_outcome outcome;
    int rv;

    if (!ftc_plan_request(plan, &request, &rv))
        return rv;
    ftc_plan_enter(plan);
    outcome = ftc_execute(plan->comm, &request);
    ftc_plan_leave();
    return ftc_plan_finish(plan, outcome);
}

/* Apart, as its room on the stack is not for each call. */
static __attribute__((noinline)) int carry_out_steps(struct ftc_plan *plan)
{
    union ftc_plan_state state;
    int rv;

    ftc_plan_open(plan, &state);
    do
        rv = carry_out_once(plan);
    while (rv == MPI_SUCCESS && plan->is_again);
    ftc_plan_close(plan);
    ftc_plan_free(plan);
    return rv;
}

/* The first operation finds calls that are too large for messages, where no rank knows that before.
 */
static int carry_out(struct ftc_plan *plan)
{
    int rv = MPI_SUCCESS;

    if (plan->comm->running->first)
        ftc_queue_complete(plan->comm);
    if (!ftc_plan_takes_steps(plan))
        rv = carry_out_once(plan);
    return ftc_plan_takes_steps(plan) && rv == MPI_SUCCESS ? carry_out_steps(plan) : rv;
}

/* False: native MPI carries out the call, because of @fallback. */
static bool is_ours(enum ftc_fallback fallback)
{
    if (fallback != FTC_FALLBACK_NONE)
        ftc_native_call_fallback = fallback;
    return fallback == FTC_FALLBACK_NONE;
}

bool ftc_carry_out(struct ftc_call *call)
{
    struct ftc_floating floating;
    struct ftc_plan plan;
    enum ftc_fallback fallback;
    bool is_agreed; /* who carries it out, by the operation itself */

    if (ftc_library.state != FTC_LIBRARY_ACTIVE || ftc_library.paused) {
        ftc_native_call_fallback = FTC_FALLBACK_NONE;
        return false;
    }
    ftc_native_call_look_back();
    fallback = ftc_plan_make(&plan, call);
    is_agreed = fallback == FTC_FALLBACK_NONE &&
                (ftc_plan_is_uneven(&plan) || plan.arguments.packs_elements);
    if (!is_agreed)
        ftc_coverage_call(call, fallback);
    if (!is_ours(fallback))
        return false;
    ftc_combine_note_modes_blocking(&plan, &floating);
    ftc_library_lock();
    call->result = carry_out(&plan);
    ftc_library_unlock();
    if (is_agreed)
        ftc_coverage_call(call, plan.turned_out);
    ftc_error_raise(call);
    if (plan.floating)
        ftc_floating_raise(plan.floating);
    return is_ours(plan.turned_out);
}
