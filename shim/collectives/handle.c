/* The way of a call: facts -> policy -> one fault-tolerant operation -> result. */
#include "handle.h"
#include "communicator/communicator.h"
#include "communicator/lineage.h"
#include "program/error.h"
#include "progress/drive.h"
#include "progress/mismatch.h"
#include "progress/queue.h"
#include "report/compare.h"
#include "report/record.h"
#include "report/report.h"
#include "report/required_sites.h"
#include "request.h"
#include "value/broadcast.h"
#include "value/contributors.h"
#include "value/datatype.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What is known of a call once it has been looked at. */
struct plan {
    struct ftc_comm *comm;
    struct ftc_facts facts;
    size_t value_bytes;
    size_t header_bytes; /* the contributors, before the value that travels */
};

static bool is_intercepted(enum ftc_call_kind kind)
{
    static const int bit[FTC_CALL_COUNT] = {
#define FTC_CALL(kind, name, class, need, setting) [FTC_CALL_##kind] = FTC_INTERCEPT_##setting,
#include "call/calls.def"
#undef FTC_CALL
    };

    return (ftc_library.settings.intercept & bit[kind]) != 0;
}

/* Native MPI raises the right error for arguments that it rejects. */
static bool buffers_are_valid(const struct ftc_call *call, const struct ftc_comm *c)
{
    bool in_place = call->sendbuf == MPI_IN_PLACE;

    if (call->kind == FTC_CALL_BCAST) /* NULL is MPI_BOTTOM, for a datatype of absolute addresses */
        return call->recvbuf != MPI_IN_PLACE &&
               (call->recvbuf || ftc_predefined_bytes(call->datatype) == 0);
    if (!ftc_call_gives_result(call, c->rank))
        return !in_place && call->sendbuf;
    return call->recvbuf && call->recvbuf != MPI_IN_PLACE && call->sendbuf &&
           (in_place || call->sendbuf != call->recvbuf);
}

static void look_at_arguments(const struct ftc_call *call, struct plan *plan,
                              struct ftc_policy_facts *facts)
{
    if (ftc_call_has_root(call->kind) && (call->root < 0 || call->root >= plan->comm->size))
        return;
    switch (call->kind) {
    case FTC_CALL_BARRIER:
        facts->valid = facts->commutative = true;
        return;
    case FTC_CALL_BCAST:
        facts->valid = facts->commutative = ftc_facts_of_type(call->datatype, &plan->facts);
        break;
    default:
        facts->valid = ftc_facts(call->datatype, call->op, &plan->facts);
        facts->commutative = plan->facts.commutative;
    }
    if (facts->valid && call->count > 0) {
        facts->valid = buffers_are_valid(call, plan->comm);
        plan->value_bytes = call->kind == FTC_CALL_BCAST
                                ? ftc_packed_bytes(&plan->facts, call->count)
                                : ftc_span_bytes(&plan->facts, call->count);
        facts->value_bytes = plan->value_bytes;
    }
}

/* Known at once, so that large messages pay least for being looked at. Not for a broadcast, whose
 * ranks may name different datatypes: either all ranks look at the communicator, or none. */
static bool is_surely_too_large(const struct ftc_call *call)
{
    size_t bytes = call->kind == FTC_CALL_BCAST ? 0 : ftc_predefined_bytes(call->datatype);

    return bytes > 0 && call->count > ftc_library.settings.max_bytes / (MPI_Count)bytes;
}

static enum ftc_pass make_plan(const struct ftc_call *call, struct plan *plan)
{
    struct ftc_policy_facts facts = {.intercepted = is_intercepted(call->kind)};

    if (!facts.intercepted)
        return ftc_policy(&facts, 0);
    if (is_surely_too_large(call))
        return FTC_PASS_TOO_LARGE;
    ftc_library_lock();
    plan->comm = call->comm == MPI_COMM_NULL ? NULL : ftc_comm_get(call->comm);
    ftc_library_unlock();
    if (!plan->comm)
        return FTC_PASS_INVALID;
    facts.communicator = plan->comm->pass;
    if (facts.communicator == FTC_PASS_NONE && call->count >= 0)
        look_at_arguments(call, plan, &facts);
    return ftc_policy(&facts, (size_t)ftc_library.settings.max_bytes);
}

/* Its handle is the same on all ranks. Some have no kernel: see facts.c. */
static bool has_predefined_operation(const struct ftc_call *call, const struct plan *plan)
{
    return plan->facts.kernel ||
           (ftc_call_is_reduction(call->kind) && ftc_operator_of(call->op) != FTC_OPERATOR_OTHER);
}

/* Two calls that can meet in one operation have the same signature. In a broadcast, ranks may
 * describe the same data by different counts and datatypes. */
static uint32_t signature_of(const struct ftc_call *call, const struct plan *plan)
{
    uint64_t h = (uint64_t)call->kind * 0x9e3779b97f4a7c15ull;
    bool typed = call->kind != FTC_CALL_BCAST;
    uint64_t count = typed ? (uint64_t)call->count : 0;
    uint64_t type = typed ? plan->facts.type_class + 64 * plan->facts.size_bytes : 0;

    h = (h ^ count) * 0xff51afd7ed558ccdull;
    h = (h ^ (uint64_t)plan->value_bytes) * 0xff51afd7ed558ccdull;
    h = (h ^ type) * 0xff51afd7ed558ccdull;
    h = (h ^ (has_predefined_operation(call, plan) ? (uint32_t)call->op : 0)) *
        0xff51afd7ed558ccdull;
    h = (h ^ (ftc_call_has_root(call->kind) ? (uint32_t)call->root : 0)) * 0xff51afd7ed558ccdull;
    return (uint32_t)(h >> 32) | 1; /* never FTC_SIGNATURE_NONE */
}

struct combine_context {
    const struct ftc_call *call;
    const struct plan *plan;
    int error; /* of the last combination that went wrong */
};

static void combine_data(struct combine_context *x, void *into, const void *from)
{
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

static void combine(void *context, void *into, const void *from)
{
    struct combine_context *x = context;
    size_t header = x->plan->header_bytes;

    if (header > 0)
        ftc_contributors_join(into, from, x->plan->comm->size);
    if (x->plan->value_bytes > 0)
        combine_data(x, (char *)into + header, (const char *)from + header);
}

/* The program's own buffer where its memory is the value as it stands, else a copy; NULL without
 * memory for it. The buffer of a call without data is not looked at, as native MPI does not. */
static const void *contribution_of(const struct ftc_call *call, const struct plan *plan)
{
    const void *source = call->sendbuf == MPI_IN_PLACE ? call->recvbuf : call->sendbuf;
    const struct ftc_comm *c = plan->comm;

    if (plan->header_bytes > 0)
        ftc_contributors_begin(c->running->contribution, c->size, c->rank,
                               ftc_require_at(call->return_address));
    else if (plan->facts.contiguous && plan->value_bytes > 0)
        return (const char *)source + ftc_span_start(&plan->facts, call->count);
    if (ftc_span_read(c->running->contribution + plan->header_bytes, source, call->count,
                      &plan->facts) != MPI_SUCCESS)
        return NULL;
    return c->running->contribution;
}

/* Only the root has data to give. */
static const void *broadcast_of(const struct ftc_call *call, const struct plan *plan)
{
    struct ftc_broadcast_value *value = (void *)plan->comm->running->contribution;

    value->has_data = call->root == plan->comm->rank;
    if (value->has_data &&
        ftc_pack(value->data, call->recvbuf, call->count, &plan->facts) != MPI_SUCCESS)
        return NULL;
    return value;
}

static int deliver_broadcast(const struct ftc_call *call, const struct plan *plan)
{
    const struct ftc_broadcast_value *value = plan->comm->running->op.result.value;

    if (value->has_data)
        return call->root == plan->comm->rank
                   ? MPI_SUCCESS
                   : ftc_unpack(call->recvbuf, value->data, call->count, &plan->facts);
    return ftc_library.settings.on_dead_root == FTC_ON_DEAD_ROOT_KEEP ? MPI_SUCCESS
                                                                      : ftc_error_dead_root(call);
}

static int deliver(const struct ftc_call *call, const struct plan *plan)
{
    const struct ftc_result *result = &plan->comm->running->op.result;

    if (call->kind == FTC_CALL_BCAST)
        return deliver_broadcast(call, plan);
    if (!result->value || !ftc_call_gives_result(call, plan->comm->rank))
        return MPI_SUCCESS;
    return ftc_span_write(call->recvbuf, (const char *)result->value + plan->header_bytes,
                          call->count, &plan->facts);
}

/* The setting that wants all ranks in a result. The contributors tell whether a call site wants it,
 * on any rank: so all survivors of an allreduce decide alike, wherever they call it from. */
static const char *required_by(const struct ftc_call *call, const void *contributors)
{
    if (ftc_library.settings.require_all & (1 << ftc_operator_of(call->op)))
        return "require_all";
    return ftc_contributors_are_required(contributors) ? "require_all_at" : NULL;
}

/* What is done about ranks that are not in the result. */
static int look_at_contributors(const struct ftc_call *call, const struct plan *plan)
{
    const struct ftc_comm *c = plan->comm;
    const void *contributors = c->running->op.result.value;
    const char *setting;
    int missing;

    if (plan->header_bytes == 0 || !contributors || !ftc_call_gives_result(call, c->rank))
        return MPI_SUCCESS;
    missing = ftc_contributors_count_missing(contributors, c->size);
    if (missing == 0)
        return MPI_SUCCESS;
    ftc_record_result(call, c, contributors);
    setting = required_by(call, contributors);
    return setting ? ftc_error_incomplete(call, c, missing, setting) : MPI_SUCCESS;
}

static int finish(const struct ftc_call *call, struct plan *plan, enum ftc_drive_outcome outcome,
                  int error)
{
    struct ftc_comm *c = plan->comm;
    int rv;

    switch (outcome) {
    case FTC_DRIVE_NO_MEMORY:
        return ftc_error_no_memory();
    case FTC_DRIVE_MISMATCH:
        return ftc_error_mismatch(c);
    case FTC_DRIVE_DONE:
        break;
    }
    if (c->running->op.result.verdict == FTC_VERDICT_EXCESS)
        rv = ftc_error_excess(call, c);
    else if (error != MPI_SUCCESS)
        rv = error; /* MPI_Reduce_local has called the error handler */
    else
        rv = deliver(call, plan);
    if (rv == MPI_SUCCESS)
        rv = look_at_contributors(call, plan);
    if (!ftc_call_is_reduce(call->kind))
        ftc_comm_exclude(c, c->running->op.result.failed);
    return rv;
}

/* The root is dead, and everybody knows. */
static int without_root(const struct ftc_call *call)
{
    bool is_error =
        call->kind == FTC_CALL_BCAST && ftc_library.settings.on_dead_root == FTC_ON_DEAD_ROOT_ERROR;

    return is_error ? ftc_error_dead_root(call) : MPI_SUCCESS;
}

/* What the engine reduces; false without memory for it. A barrier reduces nothing. */
static bool fill_request(const struct ftc_call *call, struct plan *plan,
                         struct combine_context *context, struct ftc_drive_request *request)
{
    switch (call->kind) {
    case FTC_CALL_BARRIER:
        request->contribution = "";
        break;
    case FTC_CALL_BCAST:
        request->value_bytes = ftc_broadcast_value_bytes(plan->value_bytes);
        request->combine = ftc_broadcast_combine;
        request->context = &request->value_bytes;
        if (ftc_running_reserve(plan->comm, request->value_bytes) == 0)
            request->contribution = broadcast_of(call, plan);
        break;
    default:
        plan->header_bytes = ftc_contributors_bytes(plan->comm->size);
        request->value_bytes = plan->header_bytes + plan->value_bytes;
        request->combine = combine;
        request->context = context;
        if (ftc_running_reserve(plan->comm, request->value_bytes) == 0)
            request->contribution = contribution_of(call, plan);
    }
    return request->contribution != NULL;
}

/* The engine's view of @call, after fill_request(). */
static struct ftc_drive_request request_of(const struct ftc_call *call, const struct plan *plan)
{
    return (struct ftc_drive_request){
        .call = call,
        .kind = ftc_call_is_reduce(call->kind) ? FTC_OP_REDUCE : FTC_OP_ALLREDUCE,
        .signature = signature_of(call, plan),
        .root = ftc_call_has_root(call->kind) ? ftc_comm_member(plan->comm, call->root) : 0,
    };
}

static void enter(const struct ftc_call *call, const struct plan *plan, uint32_t signature)
{
    ftc_mismatch_enter_with_data(call, plan->comm, signature, plan->facts.size_bytes,
                                 plan->value_bytes);
}

static int carry_out(const struct ftc_call *call, struct plan *plan)
{
    struct ftc_comm *c = plan->comm;
    struct combine_context context = {.call = call, .plan = plan, .error = MPI_SUCCESS};
    struct ftc_drive_request request;
    enum ftc_drive_outcome outcome;

    assert(c);
    if (c->running->first)
        ftc_pending_complete(c);
    request = request_of(call, plan);
    if (request.root < 0)
        return without_root(call);
    if (!fill_request(call, plan, &context, &request))
        return ftc_error_no_memory();
    enter(call, plan, request.signature);
    outcome = ftc_drive(c, &request);
    ftc_mismatch_leave();
    return finish(call, plan, outcome, context.error);
}

/* A nonblocking call, from its beginning to the end of its request. */
struct task {
    struct ftc_request request;
    struct ftc_call call;
    struct plan plan;
    struct combine_context context;
};

static bool begin_task(struct ftc_pending *p)
{
    struct task *t = (struct task *)p;
    struct ftc_drive_request request = request_of(&t->call, &t->plan);

    t->context = (struct combine_context){.call = &t->call, .plan = &t->plan};
    t->call.result = MPI_SUCCESS;
    if (request.root < 0) {
        t->call.result = without_root(&t->call);
        return false;
    }
    if (!fill_request(&t->call, &t->plan, &t->context, &request)) {
        t->call.result = ftc_error_no_memory();
        return false;
    }
    enter(&t->call, &t->plan, request.signature);
    if (ftc_drive_begin(t->plan.comm, &request))
        return true;
    ftc_mismatch_leave();
    t->call.result = ftc_error_no_memory();
    return false;
}

static void end_task(struct ftc_pending *p)
{
    struct task *t = (struct task *)p;
    enum ftc_drive_outcome outcome;

    outcome = ftc_drive_end(t->plan.comm);
    ftc_mismatch_leave();
    t->call.result = finish(&t->call, &t->plan, outcome, t->context.error);
}

void ftc_count_native(enum ftc_call_kind kind, const void *return_address)
{
    struct ftc_call call = {.kind = kind, .return_address = return_address};

    if (ftc_library.state == FTC_LIBRARY_ACTIVE)
        ftc_report_call(&call, FTC_PASS_PERSISTENT);
}

bool ftc_handle(struct ftc_call *call)
{
    struct plan plan = {0};
    struct ftc_compare compare;
    enum ftc_pass pass;

    if (ftc_library.state != FTC_LIBRARY_ACTIVE || ftc_library.paused)
        return false;
    pass = make_plan(call, &plan);
    ftc_report_call(call, pass);
    if (pass != FTC_PASS_NONE)
        return false;
    ftc_compare_begin(&compare, call, plan.comm, &plan.facts);
    ftc_library_lock();
    call->result = carry_out(call, &plan);
    ftc_library_unlock();
    ftc_error_raise(call);
    ftc_compare_end(&compare, call, plan.comm, &plan.facts);
    return true;
}

/* Whether the operation can go on in any thread, and after the program has freed its handles. */
static bool needs_mpi(const struct plan *plan)
{
    return !plan->facts.kernel || !plan->facts.contiguous;
}

/* Such a call must not count as the first use of its communicator, which would identify it. */
static bool is_unseen(const struct ftc_call *call)
{
    int inter = 1;

    return is_intercepted(call->kind) && call->comm != MPI_COMM_NULL && !ftc_birth_of(call->comm) &&
           PMPI_Comm_test_inter(call->comm, &inter) == MPI_SUCCESS && !inter;
}

static enum ftc_pass make_nonblocking_plan(const struct ftc_call *call, struct plan *plan)
{
    enum ftc_pass pass;

    if (is_unseen(call))
        return FTC_PASS_UNSEEN;
    pass = make_plan(call, plan);
    if (pass != FTC_PASS_NONE)
        return pass;
    return needs_mpi(plan) || !ftc_request_possible() ? FTC_PASS_NEEDS_MPI : FTC_PASS_NONE;
}

bool ftc_handle_nonblocking(struct ftc_call *call, MPI_Request *request)
{
    struct plan plan = {0};
    enum ftc_pass pass;
    struct task *t;

    if (ftc_library.state != FTC_LIBRARY_ACTIVE || ftc_library.paused)
        return false;
    pass = request ? make_nonblocking_plan(call, &plan) : FTC_PASS_INVALID;
    ftc_report_call(call, pass);
    if (pass != FTC_PASS_NONE)
        return false;
    t = malloc(sizeof *t);
    if (!t) {
        call->result = ftc_error_no_memory();
        ftc_error_raise(call);
        return true;
    }
    *t = (struct task){
        .request.pending = {.comm = plan.comm,
                            .call = &t->call,
                            .begin = begin_task,
                            .end = end_task},
        .call = *call,
        .plan = plan,
    };
    call->result = ftc_request_start(&t->request, request);
    return true;
}
