#include "forecast.h"

#include "communicator/error_handler.h"
#include "communicator/group.h"
#include "communicator/lineage.h"
#include "communicator/neighbors.h"
#include "library.h"
#include "mpi/inside.h"
#include "reporting/required_sites.h"
#include "value/arguments.h"
#include "value/layout.h"

enum { MAX_BYTES_MOST = 65536 }; /* largest max_bytes; see options.def */

static size_t times(size_t a, size_t b)
{
    size_t product;

    return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

/* ---- how much data there is where no rank knows how much the others send ---- */

/* Returns the bytes of the blocks of all ranks. Assumes that the others send as much as this rank,
 * or on an intercommunicator as much as it receives. In a call with a root only the root has all
 * blocks; the others return 0. */
static size_t bytes_of_blocks(const struct ftc_call *call, const struct ftc_arguments_comm *comm)
{
    const struct ftc_layout *send = &call->layouts->send, *receive = &call->layouts->receive;
    bool is_inter = comm->remote_size > 0;
    int peers = is_inter ? comm->remote_size : comm->size;
    size_t ranks = (size_t)comm->size + (size_t)comm->remote_size;

    if (ftc_call_is_of_neighbors(call->kind))
        return times(
            ftc_layout_bytes(send, ftc_call_is_addressed(call->kind) ? comm->destinations : 1),
            ranks);
    if (!ftc_call_has_root(call->kind))
        return times(
            ftc_layout_bytes(!is_inter && ftc_layouts_are_sent(call, comm->rank) ? send : receive,
                             peers),
            ranks);
    if (call->root != (is_inter ? MPI_ROOT : comm->rank))
        return 0;
    return ftc_layout_bytes(ftc_call_comes_from_root(call->kind) ? send : receive, peers);
}

/* Returns an upper bound of what all ranks send. The bound holds at the rank that sends most, and
 * the report joins the settings that the ranks find. */
static size_t bytes_at_most(const struct ftc_call *call, const struct ftc_arguments_comm *comm,
                            const struct ftc_arguments *a)
{
    bool is_inter = comm->remote_size > 0 && ftc_call_plain(call->kind) != FTC_CALL_BARRIER;
    size_t ranks = (size_t)comm->size + (size_t)comm->remote_size;

    if (!is_inter && !ftc_call_is_of_unknown_size(call->kind))
        return a->value_bytes;
    if (ftc_call_is_nonblocking(call->kind)) /* takes rounds, with at least a byte per rank */
        return ranks;
    if (ftc_call_has_operation(call->kind))
        return times(ftc_arguments_given(a), ranks);
    return call->layouts ? bytes_of_blocks(call, comm) : ftc_packed_bytes(&a->facts, call->count);
}

/* ---- what the library would do ---- */

static int ranks_of_peers(MPI_Comm inter)
{
    MPI_Group peers = ftc_group_of_peers(inter);
    int ranks = 0;

    PMPI_Group_size(peers, &ranks);
    PMPI_Group_free(&peers);
    return ranks;
}

/* Fills *@comm. Returns false without memory, or if native MPI rejects the communicator. */
static bool find_comm(const struct ftc_call *call, struct ftc_arguments_comm *comm)
{
    struct ftc_neighbors n = {0};

    if (ftc_call_is_of_neighbors(call->kind) && !ftc_neighbors_count(call->comm, &n))
        return false;
    *comm = (struct ftc_arguments_comm){.sources = n.sources, .destinations = n.destinations};
    PMPI_Comm_rank(call->comm, &comm->rank);
    PMPI_Comm_size(call->comm, &comm->size);
    if (ftc_is_inter(call->comm))
        comm->remote_size = ranks_of_peers(call->comm);
    return true;
}

/* Returns whether @call, which has a request, would take rounds for data that are too large for
 * messages. Rounds are much slower than the protocols of setting large. */
static bool is_slow_in_rounds(const struct ftc_call *call, const struct ftc_arguments_comm *comm)
{
    return ftc_call_is_nonblocking(call->kind) && ftc_call_is_of_unknown_size(call->kind) &&
           call->layouts && bytes_of_blocks(call, comm) > MAX_BYTES_MOST;
}

/* Adds the facts about the arguments that the policy needs, with the settings that protect most. */
static void add_arguments(struct ftc_policy_facts *facts, const struct ftc_call *call,
                          bool *is_slow)
{
    struct ftc_arguments_comm comm;
    struct ftc_arguments a = {0};

    facts->commutative = true;
    if (!find_comm(call, &comm))
        return;
    ftc_arguments_examine(&a, call, &comm);
    facts->valid = a.are_valid && !a.refuses;
    if (!facts->valid)
        return;
    facts->value_bytes = bytes_at_most(call, &comm, &a);
    *is_slow = is_slow_in_rounds(call, &comm);
}

/* Returns whether the identity of @comm would be known if the library made it (communicators =
 * survivors). With threads, two groups can agree on the identity of a new intercommunicator only
 * then. */
static bool is_seen_by_survivors(MPI_Comm comm)
{
    return ftc_library.threaded && ftc_is_comm(comm) && ftc_is_inter(comm) &&
           !ftc_lineage_of(comm) &&
           ftc_library.settings.communicators == FTC_COMMUNICATORS_NATIVE &&
           ftc_group_is_in_world(comm);
}

static enum ftc_fallback fallback_of_comm(MPI_Comm comm)
{
    int size = 0;

    if (ftc_is_inter(comm))
        return ftc_lineage_of(comm) || is_seen_by_survivors(comm) ? FTC_FALLBACK_NONE
                                                                  : FTC_FALLBACK_UNSEEN_INTERCOMM;
    PMPI_Comm_size(comm, &size);
    return size == 1 ? FTC_FALLBACK_COMM_SELF : FTC_FALLBACK_NONE;
}

/* Returns whether setting intercept alone removes @fallback. */
static bool is_for_intercept(enum ftc_fallback fallback)
{
    return fallback == FTC_FALLBACK_NOT_INTERCEPTED || fallback == FTC_FALLBACK_INTERCOMM;
}

/* Returns whether there are settings that can remove @fallback. */
static bool has_settings(enum ftc_fallback fallback)
{
    return is_for_intercept(fallback) || fallback == FTC_FALLBACK_UNSEEN_INTERCOMM ||
           fallback == FTC_FALLBACK_UNKNOWN_SIZE || ftc_fallback_is_of_data(fallback);
}

/* Returns whether the settings that can remove @fallback have their best values already. */
static bool is_at_its_best(enum ftc_fallback fallback)
{
    return ftc_fallback_is_of_data(fallback) && ftc_library.settings.large == FTC_LARGE_PROTECTED;
}

/* Returns the fallback that remains with the settings that protect most. Sets *@is_large if one of
 * them is the setting for large data. */
static enum ftc_fallback fallback_at_best(const struct ftc_call *call, size_t *bytes,
                                          bool *is_large)
{
    struct ftc_policy_facts facts = {.intercepted = true};
    enum ftc_fallback fallback;
    bool is_slow = false;

    if (!ftc_is_comm(call->comm))
        return FTC_FALLBACK_INVALID;
    facts.communicator = fallback_of_comm(call->comm);
    if (facts.communicator == FTC_FALLBACK_NONE)
        add_arguments(&facts, call, &is_slow);
    *bytes = facts.value_bytes;
    fallback = ftc_policy(&facts, MAX_BYTES_MOST);
    *is_large = ftc_fallback_is_of_data(fallback) || is_slow;
    if (*is_large)
        fallback = FTC_FALLBACK_NONE;
    if (fallback != FTC_FALLBACK_NONE || !ftc_call_is_nonblocking(call->kind))
        return fallback;
    if (!ftc_lineage_of(call->comm) && !is_seen_by_survivors(call->comm))
        return FTC_FALLBACK_UNSEEN;
    return ftc_inside_has(FTC_INSIDE_REQUESTS) && ftc_mpi_function(FTC_MPIX_Grequest_start)
               ? FTC_FALLBACK_NONE
               : FTC_FALLBACK_NO_REQUESTS;
}

static bool requires_all(const struct ftc_call *call)
{
    bool required;

    if (!ftc_call_has_operation(call->kind))
        return false;
    ftc_library_lock();
    required = (ftc_library.settings.require_all & (1 << ftc_operator_of(call->op))) != 0 ||
               ftc_required_sites_have(&ftc_library.notice, call->return_address);
    ftc_library_unlock();
    return required;
}

static struct ftc_forecast forecast_here(const struct ftc_call *call)
{
    return ftc_settings_forecast_here(&ftc_library.settings, call->kind,
                                      ftc_comm_returns_errors(call->comm), requires_all(call));
}

static struct ftc_forecast forecast_of(const struct ftc_call *call, enum ftc_fallback fallback)
{
    struct ftc_forecast forecast;
    enum ftc_fallback best;
    bool is_large = false;
    size_t bytes = 0;

    if (fallback == FTC_FALLBACK_NONE)
        return forecast_here(call);
    if (!has_settings(fallback) || is_at_its_best(fallback))
        return ftc_settings_forecast_in_vain(fallback);
    best = fallback_at_best(call, &bytes, &is_large);
    if (best != FTC_FALLBACK_NONE)
        return ftc_settings_forecast_in_vain(best);
    if (ftc_call_is_uneven(call->kind) ||
        ftc_is_inter(call->comm)) /* data that are too large are found during the call */
        is_large |= ftc_fallback_is_of_data(fallback);
    forecast = forecast_here(call);
    forecast.remedies = ftc_settings_forecast_remedies(forecast);
    forecast.protection = (enum ftc_protection)fallback;
    if (is_for_intercept(fallback) ||
        ((fallback == FTC_FALLBACK_NON_COMMUTATIVE || fallback == FTC_FALLBACK_ADDRESSES) &&
         !is_large))
        forecast.remedies |= FTC_REMEDY_INTERCEPT;
    if (is_seen_by_survivors(call->comm))
        forecast.remedies |= FTC_REMEDY_COMMUNICATORS;
    if (ftc_library.settings.large == FTC_LARGE_PROTECTED) /* protects data of any size */
        return forecast;
    if (is_large)
        forecast.remedies |= FTC_REMEDY_LARGE;
    else if (bytes > (size_t)ftc_library.settings.max_bytes || fallback == FTC_FALLBACK_TOO_LARGE)
        forecast.remedies |= FTC_REMEDY_MAX_BYTES;
    return forecast;
}

/* Returns whether this rank is rank 0 of MPI_COMM_WORLD and alone gets the result. */
static bool is_for_rank_0(const struct ftc_call *call)
{
    int rank = -1;

    if (ftc_library.world_rank != 0 || !ftc_call_has_root(call->kind) ||
        ftc_call_comes_from_root(call->kind) || !ftc_is_comm(call->comm) ||
        ftc_is_inter(call->comm)) /* roots are ranks of the other group */
        return false;
    PMPI_Comm_rank(call->comm, &rank);
    return rank == call->root;
}

struct ftc_forecast ftc_forecast_of_call(const struct ftc_call *call, enum ftc_fallback fallback)
{
    struct ftc_forecast forecast = forecast_of(call, fallback);

    forecast.remedies |= is_for_rank_0(call) ? FTC_REMEDY_IF_RANK_0 : 0;
    return forecast;
}

/* Returns whether a window is freed natively although setting intercept names the call. Such a call
 * gives no communicator. */
static bool frees_natively(enum ftc_call_kind kind)
{
    return kind == FTC_CALL_WIN_FREE &&
           ftc_settings_forecast_is_intercepted(&ftc_library.settings, kind);
}

/* Returns whether native MPI carries out the call although setting communicators has the library
 * carry it out where it can. */
static bool is_left_to_native(enum ftc_call_kind kind)
{
    return (ftc_call_class(kind) == FTC_CLASS_COMMUNICATOR ||
            ftc_call_class(kind) == FTC_CLASS_FILE) &&
           ftc_library.settings.communicators != FTC_COMMUNICATORS_NATIVE;
}

static bool is_of_one(enum ftc_call_kind kind, MPI_Comm comm)
{
    int size = 0;

    if (comm == MPI_COMM_SELF)
        return true;
    if (ftc_call_is_message(kind) || !ftc_is_comm(comm) || ftc_is_inter(comm))
        return false;
    PMPI_Comm_size(comm, &size);
    return size == 1;
}

static bool returns_errors(MPI_Comm comm)
{
    return ftc_is_comm(comm) && ftc_comm_returns_errors(comm);
}

struct ftc_forecast ftc_forecast_of_survivors(const struct ftc_call *call)
{
    bool is_fatal =
        call->errhandler == MPI_ERRORS_ARE_FATAL || call->errhandler == MPI_ERRORS_ABORT;

    return ftc_settings_forecast_of_native(&ftc_library.settings, call->kind,
                                           call->errhandler ? !is_fatal
                                                            : returns_errors(call->comm));
}

static bool is_from_any_source(enum ftc_call_kind kind, int peer)
{
    switch (kind) {
    case FTC_CALL_RECV:
    case FTC_CALL_SENDRECV:
    case FTC_CALL_SENDRECV_REPLACE:
    case FTC_CALL_PROBE:
    case FTC_CALL_MPROBE:
    case FTC_CALL_IPROBE:
    case FTC_CALL_IMPROBE:
        return peer == MPI_ANY_SOURCE;
    default:
        return ftc_call_is_message(kind) && peer == FTC_SOME_MEMBER;
    }
}

static struct ftc_forecast of_native(enum ftc_call_kind kind, MPI_Comm comm, int peer)
{
    if (peer == MPI_PROC_NULL || is_of_one(kind, comm))
        return (struct ftc_forecast){FTC_PROTECTION_NEEDS_NOBODY, 0};
    if (is_left_to_native(kind) ||
        (comm == MPI_COMM_NULL && (ftc_call_is_message(kind) || frees_natively(kind))))
        return ftc_settings_forecast_in_vain(FTC_PROTECTION_NO_WAY);
    return ftc_settings_forecast_of_native(&ftc_library.settings, kind, returns_errors(comm));
}

struct ftc_forecast ftc_forecast_of_native(enum ftc_call_kind kind, MPI_Comm comm, int peer)
{
    struct ftc_forecast forecast = of_native(kind, comm, peer);

    if (is_from_any_source(kind, peer))
        forecast.remedies |= FTC_REMEDY_IF_ANY_SOURCE;
    return forecast;
}
