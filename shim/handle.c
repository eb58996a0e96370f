/* The way of a call: facts -> policy -> one fault-tolerant operation -> result. */
#include "call.h"
#include "comm.h"
#include "drive.h"
#include "error.h"
#include "facts.h"
#include "report.h"

#include <assert.h>
#include <string.h>

/* What is known of a call once it has been looked at. */
struct plan {
    struct ftc_comm *comm;
    struct ftc_facts facts;
    size_t value_bytes;
};

const char *ftc_call_name(enum ftc_call_kind kind)
{
    static const char *const name[FTC_CALL_COUNT] = {
        [FTC_CALL_NONE] = "no call",
        [FTC_CALL_REDUCE] = "MPI_Reduce",
        [FTC_CALL_ALLREDUCE] = "MPI_Allreduce",
        [FTC_CALL_FINALIZE] = "MPI_Finalize",
    };

    return name[kind];
}

static bool is_intercepted(enum ftc_call_kind kind)
{
    unsigned bit = kind == FTC_CALL_REDUCE ? FTC_INTERCEPT_REDUCE : FTC_INTERCEPT_ALLREDUCE;

    return (ftc_library.settings.intercept & bit) != 0;
}

/* Whether this rank gets a result. */
static bool receives(const struct ftc_call *call, const struct ftc_comm *c)
{
    return call->kind == FTC_CALL_ALLREDUCE || call->root == c->rank;
}

/* Native MPI raises the right error for arguments that it rejects. */
static bool buffers_are_valid(const struct ftc_call *call, const struct ftc_comm *c)
{
    bool in_place = call->sendbuf == MPI_IN_PLACE;

    if (call->kind == FTC_CALL_REDUCE && (call->root < 0 || call->root >= c->size))
        return false;
    if (!receives(call, c))
        return !in_place && call->sendbuf;
    return call->recvbuf && call->recvbuf != MPI_IN_PLACE && call->sendbuf &&
           (in_place || call->sendbuf != call->recvbuf);
}

static enum ftc_pass make_plan(const struct ftc_call *call, struct plan *plan)
{
    struct ftc_policy_facts facts = {.intercepted = is_intercepted(call->kind),
                                     .count = call->count};

    if (!facts.intercepted)
        return ftc_policy(&facts, 0);
    ftc_library_lock();
    plan->comm = call->comm == MPI_COMM_NULL ? NULL : ftc_comm_get(call->comm);
    ftc_library_unlock();
    if (!plan->comm)
        return FTC_PASS_INVALID;
    facts.communicator = plan->comm->pass;
    if (facts.communicator == FTC_PASS_NONE && call->count >= 0)
        facts.valid = ftc_facts(call->datatype, call->op, &plan->facts) &&
                      (call->count == 0 || buffers_are_valid(call, plan->comm));
    if (facts.valid && call->count > 0) {
        facts.commutative = plan->facts.commutative;
        plan->value_bytes = facts.value_bytes = ftc_span_bytes(&plan->facts, call->count);
    }
    return ftc_policy(&facts, (size_t)ftc_library.settings.max_bytes);
}

/* Two calls that can meet in one operation have the same signature. */
static uint32_t signature_of(const struct ftc_call *call, const struct plan *plan)
{
    uint64_t h = (uint64_t)call->kind * 0x9e3779b97f4a7c15ull;

    h = (h ^ (uint64_t)call->count) * 0xff51afd7ed558ccdull;
    h = (h ^ (uint64_t)plan->value_bytes) * 0xff51afd7ed558ccdull;
    h = (h ^ (plan->facts.kernel ? (uint32_t)call->op : 0)) * 0xff51afd7ed558ccdull;
    h = (h ^ (call->kind == FTC_CALL_REDUCE ? (uint32_t)call->root : 0)) * 0xff51afd7ed558ccdull;
    return (uint32_t)(h >> 32);
}

struct combine_context {
    const struct ftc_call *call;
    const struct plan *plan;
    int error; /* of the last combination that went wrong */
};

static void combine(void *context, void *into, const void *from)
{
    struct combine_context *x = context;
    ptrdiff_t start = ftc_span_start(&x->plan->facts, x->call->count);
    int rv;

    if (x->plan->facts.kernel) {
        x->plan->facts.kernel(into, from, (size_t)x->call->count);
        return;
    }
    rv = PMPI_Reduce_local((const char *)from - start, (char *)into - start, (int)x->call->count,
                           x->call->datatype, x->call->op);
    if (rv != MPI_SUCCESS)
        x->error = rv;
}

/* The program's own buffer where its memory is the value as it stands, else a copy; NULL without
 * memory for it. */
static const void *contribution_of(const struct ftc_call *call, const struct plan *plan)
{
    const void *source = call->sendbuf == MPI_IN_PLACE ? call->recvbuf : call->sendbuf;

    if (plan->facts.contiguous)
        return (const char *)source + ftc_span_start(&plan->facts, call->count);
    if (ftc_span_read(plan->comm->contribution, source, call->count, &plan->facts) != MPI_SUCCESS)
        return NULL;
    return plan->comm->contribution;
}

static int deliver(const struct ftc_call *call, const struct plan *plan)
{
    const struct ftc_result *result = &plan->comm->op.result;

    if (!result->value || !receives(call, plan->comm))
        return MPI_SUCCESS;
    return ftc_span_write(call->recvbuf, result->value, call->count, &plan->facts);
}

static void enter(const struct ftc_call *call, const struct ftc_comm *c)
{
    struct ftc_board_activity *a = &ftc_library.board.shared->slot[ftc_library.self].activity;

    atomic_store_explicit(&a->inside, 1, memory_order_relaxed);
    atomic_store_explicit(&a->call, call->kind, memory_order_relaxed);
    atomic_store_explicit(&a->seq, c->seq, memory_order_relaxed);
    atomic_store_explicit(&a->root, call->root, memory_order_relaxed);
    atomic_store_explicit(&a->communicator_id, c->id, memory_order_relaxed);
    atomic_store_explicit(&a->count, call->count, memory_order_relaxed);
    atomic_store_explicit(&a->datatype, call->datatype, memory_order_relaxed);
    atomic_store_explicit(&a->op, call->op, memory_order_relaxed);
}

static void leave(void)
{
    atomic_store_explicit(&ftc_library.board.shared->slot[ftc_library.self].activity.inside, 0,
                          memory_order_relaxed);
}

static int finish(const struct ftc_call *call, struct plan *plan, enum ftc_drive_outcome outcome,
                  int mismatched, int error)
{
    struct ftc_comm *c = plan->comm;
    int rv;

    switch (outcome) {
    case FTC_DRIVE_NO_MEMORY:
        return ftc_error_no_memory(call);
    case FTC_DRIVE_MISMATCH:
        return ftc_error_mismatch(call, c, mismatched);
    case FTC_DRIVE_DONE:
        break;
    }
    if (c->op.result.verdict == FTC_VERDICT_EXCESS)
        rv = ftc_error_excess(call, c);
    else if (error != MPI_SUCCESS)
        rv = error; /* MPI_Reduce_local has called the error handler */
    else
        rv = deliver(call, plan);
    if (call->kind == FTC_CALL_ALLREDUCE)
        ftc_comm_exclude(c, c->op.result.failed);
    return rv;
}

static int carry_out(const struct ftc_call *call, struct plan *plan)
{
    struct ftc_comm *c = plan->comm;
    struct combine_context context = {.call = call, .plan = plan, .error = MPI_SUCCESS};
    struct ftc_drive_request request = {
        .kind = call->kind == FTC_CALL_REDUCE ? FTC_OP_REDUCE : FTC_OP_ALLREDUCE,
        .value_bytes = plan->value_bytes,
        .combine = combine,
        .context = &context,
        .signature = signature_of(call, plan),
    };
    enum ftc_drive_outcome outcome;
    int mismatched = -1;

    assert(c);
    if (call->kind == FTC_CALL_REDUCE) {
        request.root = ftc_comm_member(c, call->root);
        if (request.root < 0)
            return MPI_SUCCESS; /* the root is dead, and everybody knows: a no-op */
    }
    if (ftc_comm_reserve(c, plan->value_bytes) != 0)
        return ftc_error_no_memory(call);
    request.contribution = contribution_of(call, plan);
    if (!request.contribution)
        return ftc_error_no_memory(call);
    enter(call, c);
    outcome = ftc_drive(c, &request, &mismatched);
    leave();
    return finish(call, plan, outcome, mismatched, context.error);
}

bool ftc_handle(struct ftc_call *call)
{
    struct plan plan = {0};
    enum ftc_pass pass;

    if (ftc_library.state != FTC_LIBRARY_ACTIVE || ftc_library.paused)
        return false;
    pass = make_plan(call, &plan);
    ftc_report_call(call, pass);
    if (pass != FTC_PASS_NONE)
        return false;
    ftc_library_lock();
    call->result = carry_out(call, &plan);
    ftc_library_unlock();
    return true;
}
