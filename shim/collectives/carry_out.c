#include "carry_out.h"

#include "board/activity.h"
#include "communicator/group.h"
#include "communicator/lineage.h"
#include "mpi/callsite.h"
#include "plan.h"
#include "program/coverage.h"
#include "program/error.h"
#include "program/native_call.h"
#include "program/request.h"
#include "progress/execute.h"
#include "progress/mismatch.h"
#include "progress/queue.h"
#include "protocols/combine.h"
#include "protocols/packed.h"
#include "reporting/settings_forecast.h"
#include "retained.h"
#include "value/contributors.h"

#include <stdlib.h>

/* ---- blocking ---- */

static int carry_out_once(struct ftc_plan *plan)
{
    struct ftc_loop_request request;
    enum ftc_loop_outcome outcome;
    int rv;

    if (!ftc_plan_request(plan, &request, &rv))
        return rv;
    ftc_plan_enter(plan);
    outcome = ftc_execute(plan->comm, &request);
    ftc_mismatch_leave();
    return ftc_plan_finish(plan, outcome);
}

static int carry_out(struct ftc_plan *plan)
{
    int rv;

    if (plan->comm->running->first)
        ftc_queue_complete(plan->comm);
    do
        rv = carry_out_once(plan);
    while (rv == MPI_SUCCESS && plan->is_again);
    ftc_plan_close(plan);
    ftc_plan_free(plan);
    return rv;
}

/* Returns whether the library carries out the call. If not, notes @fallback as the reason. */
static bool is_ours(enum ftc_fallback fallback)
{
    if (fallback != FTC_FALLBACK_NONE)
        ftc_native_call_fallback = fallback;
    return fallback == FTC_FALLBACK_NONE;
}

bool ftc_carry_out(struct ftc_call *call)
{
    union ftc_plan_state state;
    struct ftc_floating floating;
    struct ftc_plan plan;
    enum ftc_fallback fallback;
    bool is_agreed; /* all ranks learn from the operation whether native MPI carries it out */

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
    plan.state = &state;
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

/* ---- with a request ---- */

/* State of a call from its beginning to the end of its request. */
struct task {
    struct ftc_request request;
    struct ftc_call call;
    struct ftc_layouts layouts; /* layouts of that call */
    struct ftc_plan plan;
    union ftc_plan_state state;
    struct ftc_packed packed;
    struct ftc_retained retained;
    struct ftc_floating floating;
};

/* Notes that this rank has left an operation that ran beside the program. */
static void leave(void)
{
    ftc_mismatch_leave();
    ftc_activity_beside(&ftc_library.board, ftc_library.world_rank, -1);
}

static bool begin_task(struct ftc_queued *p)
{
    struct task *t = (struct task *)p;
    struct ftc_loop_request request;

    t->call.result = MPI_SUCCESS;
    if (!ftc_plan_request(&t->plan, &request, &t->call.result)) {
        ftc_plan_close(&t->plan);
        return false;
    }
    ftc_activity_beside(&ftc_library.board, ftc_library.world_rank, 1);
    ftc_plan_enter(&t->plan);
    if (ftc_loop_begin(t->plan.comm, &request))
        return true;
    leave();
    ftc_plan_close(&t->plan);
    t->call.result = ftc_error_no_memory();
    return false;
}

static bool end_task(struct ftc_queued *p)
{
    struct task *t = (struct task *)p;
    enum ftc_loop_outcome outcome = ftc_loop_end(t->plan.comm);

    leave();
    t->call.result = ftc_plan_finish(&t->plan, outcome);
    if (t->plan.turned_out != FTC_FALLBACK_NONE) /* too late for native MPI: ranks' counts differ */
        t->call.result = ftc_error_plain(t->plan.call, t->plan.turned_out == FTC_FALLBACK_INVALID
                                                           ? FTC_ERROR_REFUSED
                                                           : FTC_ERROR_TOO_MUCH);
    if (t->call.result == MPI_SUCCESS && t->plan.is_again)
        return false;
    ftc_plan_close(&t->plan);
    return true;
}

static void settle_task(struct ftc_request *r)
{
    struct task *t = (struct task *)r;

    if (t->packed.takes)
        t->call.result = t->plan.collective->take(&t->plan);
    if (t->plan.floating && t->plan.floating->raised != 0)
        r->floating = t->plan.floating;
}

static void close_task(struct ftc_request *r)
{
    struct task *t = (struct task *)r;

    ftc_packed_close(&t->plan);
    ftc_plan_free(&t->plan);
    ftc_release_retained(&t->retained);
}

/* Returns whether the library has not seen the communicator of @call being made. The first use
 * identifies such a communicator, and a nonblocking call must not be that use. Returns false for an
 * invalid handle, for which native MPI then calls the error handler once. */
static bool is_unseen(const struct ftc_call *call)
{
    return ftc_settings_forecast_is_intercepted(&ftc_library.settings, call->kind) &&
           call->comm != MPI_COMM_WORLD && ftc_is_comm(call->comm) && !ftc_lineage_of(call->comm) &&
           !ftc_is_inter(call->comm);
}

static enum ftc_fallback make_plan(struct ftc_plan *plan, const struct ftc_call *call)
{
    enum ftc_fallback fallback;

    if (is_unseen(call))
        return FTC_FALLBACK_UNSEEN;
    fallback = ftc_plan_make(plan, call);
    if (fallback != FTC_FALLBACK_NONE)
        return fallback;
    return ftc_request_possible() ? FTC_FALLBACK_NONE : FTC_FALLBACK_NO_REQUESTS;
}

/* Finds the call site now if contributors are kept. In a language binding only the stack shows the
 * program's call site, and the operation may begin on another stack: after other operations or in
 * MPI_Start. */
static void find_site(struct ftc_call *call)
{
    if (ftc_contributors_are_kept)
        call->return_address = ftc_callsite_of(call->return_address);
}

bool ftc_nonblocking_plan(struct ftc_plan *plan, struct ftc_call *call, const MPI_Request *request)
{
    enum ftc_fallback fallback;

    if (ftc_library.state != FTC_LIBRARY_ACTIVE || ftc_library.paused)
        return false;
    ftc_native_call_look_back();
    fallback = request ? make_plan(plan, call) : FTC_FALLBACK_INVALID;
    ftc_coverage_call(call, fallback);
    if (fallback == FTC_FALLBACK_NONE)
        find_site(call);
    return fallback == FTC_FALLBACK_NONE;
}

/* Returns whether the task has to keep arrays and handles. A persistent request keeps them for all
 * of its operations. */
static bool has_to_retain(const struct task *t)
{
    return !t->plan.is_retained && (t->plan.packs || ftc_layouts_have_arrays(&t->layouts));
}

static int pack(struct task *t)
{
    int rv;

    if (has_to_retain(t) && !ftc_retain(&t->retained, &t->plan, &t->layouts))
        return ftc_error_no_memory();
    if (!t->plan.packs)
        return MPI_SUCCESS;
    ftc_library_lock();
    rv = ftc_packed_make(&t->packed, &t->plan);
    ftc_library_unlock();
    return rv;
}

int ftc_nonblocking_start(const struct ftc_plan *plan, uint64_t communicator_id,
                          MPI_Request *request)
{
    const struct ftc_call *call = plan->call;
    struct task *t = malloc(sizeof *t);
    int rv;

    if (!t)
        return ftc_error_no_memory();
    *t = (struct task){
        .request = {.communicator_id = communicator_id,
                    .settle = settle_task,
                    .close = close_task,
                    .pending = {.comm = plan->comm,
                                .call = &t->call,
                                .begin = begin_task,
                                .end = end_task}},
        .call = *call,
        .plan = *plan,
    };
    t->plan.call = &t->call;
    t->plan.state = &t->state;
    t->plan.program_comm_id = communicator_id;
    ftc_combine_note_modes(&t->plan, &t->floating);
    if (call->layouts) {
        t->layouts = *call->layouts;
        t->call.layouts = &t->layouts;
    }
    rv = pack(t);
    if (rv == MPI_SUCCESS)
        return ftc_request_start(&t->request, request);
    close_task(&t->request);
    free(t);
    return rv;
}

bool ftc_carry_out_nonblocking(struct ftc_call *call, MPI_Request *request)
{
    struct ftc_plan plan;

    if (!ftc_nonblocking_plan(&plan, call, request))
        return false;
    call->result = ftc_nonblocking_start(&plan, plan.comm->id, request);
    ftc_error_raise(call);
    return true;
}
