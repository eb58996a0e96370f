#include "plan.h"

#include "board/directory.h"
#include "communicator/group.h"
#include "program/error.h"
#include "progress/mismatch.h"
#include "progress/recovery.h"
#include "protocols/limits.h"
#include "protocols/packed.h"
#include "protocols/single.h"
#include "reporting/settings_forecast.h"
#include "system/hash.h"

/* Barrier: an allreduce without data. */
static const struct ftc_collective ftc_collective_none,
    ftc_collective_barrier = {.is_uniform = true};

static const struct ftc_collective *collective_of(enum ftc_call_kind kind)
{
    static const struct ftc_collective *const collective[FTC_CALL_COUNT] = {
#define FTC_CALL(kind, name, class, need, setting, collective)                                     \
    [FTC_CALL_##kind] = &ftc_collective_##collective,
#include "call/calls.def"
#undef FTC_CALL
    };

    return collective[kind];
}

/* Returns whether the call is on an intercommunicator. Asks MPI twice, which costs as much as
 * everything else that the library does for a native call. */
static bool is_on_intercommunicator(const struct ftc_call *call)
{
    return call->comm != MPI_COMM_WORLD && ftc_is_comm(call->comm) && ftc_is_inter(call->comm);
}

/* Returns whether the call is certainly too large for protection, so that large messages pay least
 * for the check. Returns false if ranks may name different datatypes, because either all ranks of a
 * call or none must look the communicator up (ftc_comm_get()). */
static bool is_surely_native(const struct ftc_plan *plan)
{
    const struct ftc_call *call = plan->call;
    size_t bytes = plan->collective->is_uniform ? ftc_predefined_bytes(call->datatype) : 0;

    return bytes > 0 && call->count > ftc_library.settings.max_bytes / (MPI_Count)bytes &&
           ftc_select(&(struct ftc_select_facts){.obstacle = FTC_FALLBACK_TOO_LARGE,
                                                 .is_protected = ftc_limits_are_protected()}) ==
               FTC_PROTOCOL_NATIVE &&
           !is_on_intercommunicator(call);
}

/* ---- the protocol ---- */

static void add_facts_of_request(struct ftc_select_facts *f, const struct ftc_plan *plan)
{
    f->has_request = true;
    f->needs_packing =
        plan->is_inter || (plan->collective->needs_mpi && plan->collective->needs_mpi(plan));
    f->unknown_size = plan->is_inter || ftc_call_is_of_unknown_size(plan->call->kind);
    f->fits_rounds = ftc_library.settings.max_bytes >= plan->comm->size;
}

static void add_facts_of_large_data(struct ftc_select_facts *f, const struct ftc_plan *plan)
{
    enum ftc_call_kind kind = plan->call->kind;

    f->several_hosts = ftc_board_has_other_hosts(&ftc_library.board);
    f->can_expose = ftc_single_can_expose(plan);
    f->is_reduction = ftc_call_is_reduction(kind) && !plan->is_inter;
    f->is_blocking_broadcast = kind == FTC_CALL_BCAST && !plan->is_inter;
    f->packs_elements = plan->arguments.packs_elements;
    f->commutative = plan->arguments.facts.commutative;
    f->fits_slot = (f->is_reduction || f->is_blocking_broadcast) && ftc_pipelined_fits(plan);
    f->fits_part = f->is_reduction && ftc_segmented_fits(plan);
}

/* Fills in the facts that ftc_select() may use. Leaves out the others, because small calls and
 * native calls would pay for them. */
static void find_facts(struct ftc_select_facts *f, const struct ftc_plan *plan)
{
    bool is_of_data = ftc_fallback_is_of_data(f->obstacle);

    f->is_protected = ftc_limits_are_protected();
    if ((f->obstacle == FTC_FALLBACK_NONE || is_of_data) &&
        ftc_call_is_nonblocking(plan->call->kind))
        add_facts_of_request(f, plan);
    if (is_of_data && f->is_protected)
        add_facts_of_large_data(f, plan);
}

void ftc_plan_select(struct ftc_plan *plan, enum ftc_fallback obstacle, bool has_turned_out)
{
    struct ftc_select_facts f = {.obstacle = obstacle, .has_turned_out = has_turned_out};

    find_facts(&f, plan);
    plan->protocol = ftc_select(&f);
    /* Segments of one size need no heads: they are in rank order, without one for the giving
     * rank. */
    plan->has_heads = ftc_call_is_addressed(plan->call->kind) &&
                      (ftc_protocol_is_rounds(plan->protocol) || ftc_plan_is_uneven(plan));
    if (f.has_request)
        plan->packs = ftc_select_packing(&f, plan->protocol);
}

/* ---- the plan ---- */

static void examine(struct ftc_plan *plan)
{
    const struct ftc_comm *c = plan->comm;
    struct ftc_arguments_comm comm = {
        .rank = c->rank - ftc_comm_local(c),
        .size = ftc_comm_local_size(c),
        .remote_size = c->remote_size,
    };

    if (!ftc_call_is_of_neighbors(plan->call->kind) ||
        plan->collective->count_neighbors(plan->call, &comm))
        ftc_arguments_examine(&plan->arguments, plan->call, &comm);
}

/* Adds the facts about the arguments that the policy needs. */
static void add_arguments(struct ftc_policy_facts *facts, const struct ftc_arguments *a)
{
    bool noncommutative = (ftc_library.settings.intercept & FTC_INTERCEPT_NONCOMMUTATIVE) != 0;

    facts->valid = a->are_valid;
    facts->has_addresses = a->has_addresses && !noncommutative;
    facts->commutative = a->commutative || noncommutative;
    facts->value_bytes = a->value_bytes;
}

enum ftc_fallback ftc_plan_make(struct ftc_plan *plan, const struct ftc_call *call)
{
    struct ftc_policy_facts facts = {
        .intercepted = ftc_settings_forecast_is_intercepted(&ftc_library.settings, call->kind)};
    enum ftc_fallback fallback;

    *plan = (struct ftc_plan){.call = call, .collective = collective_of(call->kind)};
    if (!facts.intercepted)
        return ftc_policy(&facts, 0);
    if (is_surely_native(plan))
        return FTC_FALLBACK_TOO_LARGE;
    ftc_library_lock();
    plan->comm = call->comm == MPI_COMM_NULL ? NULL : ftc_comm_get(call->comm);
    ftc_library_unlock();
    if (!plan->comm)
        return FTC_FALLBACK_INVALID;
    facts.communicator = plan->comm->fallback;
    plan->is_inter = ftc_comm_is_inter(plan->comm) && plan->collective != &ftc_collective_barrier;
    if (plan->is_inter && plan->collective == &ftc_collective_broadcast)
        plan->collective = &ftc_collective_blocks;
    if (plan->comm->fallback == FTC_FALLBACK_NONE) {
        examine(plan);
        add_arguments(&facts, &plan->arguments);
    }
    fallback = ftc_policy(&facts, (size_t)ftc_library.settings.max_bytes);
    ftc_plan_select(plan, fallback, false);
    if (plan->protocol != FTC_PROTOCOL_NATIVE)
        return FTC_FALLBACK_NONE;
    return fallback == FTC_FALLBACK_NONE ? FTC_FALLBACK_UNKNOWN_SIZE : fallback;
}

/* Returns whether the handle of the operation is the same on all ranks. Some predefined operations
 * have no kernel (value/datatype.c). */
static bool has_predefined_operation(const struct ftc_plan *plan)
{
    return plan->arguments.facts.kernel || (ftc_call_has_operation(plan->call->kind) &&
                                            ftc_operator_of(plan->call->op) != FTC_OPERATOR_OTHER);
}

/* Returns the signature of the call, which is equal for any two calls that can meet in one
 * operation. Calls whose elements are packed have another signature, because their operation
 * differs. */
static uint32_t signature_of(const struct ftc_plan *plan)
{
    const struct ftc_call *call = plan->call;
    uint64_t h = ftc_hash_mix(FTC_HASH_START, call->kind);

    if (plan->collective->is_uniform && !plan->is_inter) {
        h = ftc_hash_mix(h, (uint64_t)plan->arguments.count);
        h = ftc_hash_mix(h,
                         plan->arguments.facts.type_class + 64 * plan->arguments.facts.size_bytes);
    }
    h = ftc_hash_mix(h, ftc_plan_is_uneven(plan) ? 0 : plan->arguments.value_bytes);
    if (plan->is_inter && ftc_call_has_root(call->kind))
        return ftc_signature(h); /* not all ranks know the rest */
    h = ftc_hash_mix(h, has_predefined_operation(plan) ? (uint32_t)call->op : 0);
    h = ftc_hash_mix(h, ftc_call_has_root(call->kind) ? (uint32_t)call->root : 0);
    return ftc_signature(plan->arguments.packs_elements ? ~h : h);
}

static void open(struct ftc_plan *plan)
{
    static const struct ftc_protocol_steps *const steps[FTC_PROTOCOLS] = {
        [FTC_PROTOCOL_SINGLE] = &ftc_single_steps,
        [FTC_PROTOCOL_SINGLE_EXPOSED] = &ftc_single_steps,
        [FTC_PROTOCOL_PIPELINED] = &ftc_pipelined_steps,
        [FTC_PROTOCOL_SEGMENTED] = &ftc_segmented_steps,
        [FTC_PROTOCOL_ROUNDS_IN_MEMORY] = &ftc_rounds_in_memory,
        [FTC_PROTOCOL_ROUNDS_IN_MESSAGES] = &ftc_rounds_in_messages,
    };

    plan->steps = steps[plan->protocol];
    if (plan->steps->open)
        plan->steps->open(plan);
}

void ftc_plan_close(const struct ftc_plan *plan)
{
    if (plan->steps && plan->steps->close)
        plan->steps->close(plan);
}

void ftc_plan_free(const struct ftc_plan *plan)
{
    if (plan->steps && plan->steps->free)
        plan->steps->free(plan);
}

/* Returns the root as index in member[]; below 0: the root is dead, which all ranks know. */
static int root_of(const struct ftc_plan *plan)
{
    const struct ftc_call *call = plan->call;

    return ftc_call_has_root(call->kind) && !plan->is_inter
               ? ftc_comm_member(plan->comm, call->root)
               : 0;
}

bool ftc_plan_request(struct ftc_plan *plan, struct ftc_loop_request *request, int *rv)
{
    plan->is_again = false;
    plan->root = root_of(plan);
    if (plan->root < 0) {
        *rv = ftc_call_comes_from_root(plan->call->kind) ? ftc_error_dead_root(plan->call)
                                                         : MPI_SUCCESS; /* no other rank waits */
        return false;
    }
    if (!plan->steps)
        open(plan);
    *request =
        (struct ftc_loop_request){.call = plan->call, .kind = FTC_OP_ALLREDUCE, .context = plan};
    plan->steps->request(plan, request);
    if (!request->contribution)
        *rv = ftc_error_no_memory();
    return request->contribution != NULL;
}

void ftc_plan_enter(const struct ftc_plan *plan)
{
    ftc_mismatch_enter_with_data(plan->call, plan->comm, signature_of(plan),
                                 plan->arguments.facts.size_bytes, plan->arguments.value_bytes);
}

/* Selects the protocol for data that turned out too large for one operation, and continues with it
 * if there is one. */
static void go_on(struct ftc_plan *plan)
{
    ftc_plan_select(plan, FTC_FALLBACK_TOO_LARGE, true);
    if (plan->protocol == FTC_PROTOCOL_NATIVE || plan->protocol == FTC_PROTOCOL_ERROR)
        return;
    plan->turned_out = FTC_FALLBACK_NONE;
    plan->steps = NULL;
    plan->is_again = true;
}

int ftc_plan_finish(struct ftc_plan *plan, enum ftc_loop_outcome outcome)
{
    struct ftc_comm *c = plan->comm;
    int rv = ftc_error_of(plan->call, c, outcome);

    plan->next_seq = c->seq;
    if (rv == MPI_SUCCESS)
        rv = plan->error; /* MPI_Reduce_local has called the error handler */
    if (rv == MPI_SUCCESS)
        rv = plan->steps->after(plan);
    if (plan->turned_out == FTC_FALLBACK_TOO_LARGE)
        go_on(plan);
    if (outcome != FTC_LOOP_NO_MEMORY && (rv != MPI_SUCCESS || !plan->is_again))
        ftc_recovery_end(c, rv != MPI_SUCCESS);
    if (outcome == FTC_LOOP_DONE && c->running->op.config.kind == FTC_OP_ALLREDUCE)
        ftc_comm_exclude(c, c->running->op.result.failed);
    return rv;
}
