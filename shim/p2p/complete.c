/* Calls that complete requests. While no rank is dead, these are native MPI's tests. */
#include "dead_peer.h"
#include "p2p.h"
#include "pair.h"
#include "partitioned.h"

#include "board/rank_state.h"
#include "mpi/inside.h"
#include "program/coverage.h"
#include "program/error.h"
#include "program/native_call.h"
#include "program/native_poll.h"
#include "progress/wait.h"

#include <stdlib.h>

enum {
    FEW = 128,
    KEEPS_FAILED = 402, /* MPICH 4.2: after an error, requests that have ended are kept */
};

/* Requests of a call, and its state. */
struct batch {
    const struct ftc_p2p_completion *call;
    struct ftc_wait wait;
    bool marked;     /* the call is marked on the board */
    uint32_t deaths; /* number of deaths when it was marked */
    int count;
    uint32_t last_note;   /* last note when the call began */
    MPI_Request *request; /* the program's requests */
    MPI_Request *before;  /* copy of request from the beginning of the call */
    MPI_Request *native;  /* requests that native MPI may test; the others are null */
    MPI_Comm failed_comm; /* communicator whose error handler is called */
    int error;            /* error of a failed request; not raised yet */
    MPI_Status *status;   /* statuses used in place of MPI_STATUSES_IGNORE */
    MPI_Request few[2 * FEW];
    MPI_Status few_statuses[FEW];
};

/* Lets a pair (pair.h) make progress, because MPI calls no callback of it in a call that keeps
 * requests. */
static void look_at_pair(MPI_Request request)
{
    struct ftc_p2p_request r;

    if (ftc_requests_find(request, &r) && r.pair)
        ftc_pair_look(r.pair);
}

/* Returns whether a request may have failed. If not, native MPI tests all requests. */
static bool may_have_failed(void)
{
    return ftc_p2p_is_anyone_dead() ||
           atomic_load_explicit(&ftc_pair_has_failed, memory_order_relaxed);
}

/* Begins a call on @count requests. Returns false without memory. */
static bool open_batch(struct batch *b, const struct ftc_p2p_completion *call, int count,
                       MPI_Request requests[])
{
    b->call = call;
    b->wait = (struct ftc_wait){0};
    b->marked = false;
    b->count = count > 0 ? count : 0;
    b->last_note = ftc_requests_last();
    b->request = requests;
    b->error = MPI_SUCCESS;
    b->status = NULL;
    b->before = b->few;
    if (count > FEW)
        b->before = malloc(2 * (size_t)count * sizeof *b->before);
    if (!b->before)
        return false;
    b->native = b->before + b->count;
    for (int i = 0; i < b->count; i++) {
        b->before[i] = requests[i];
        if (call->keeps)
            look_at_pair(requests[i]);
    }
    return true;
}

/* Returns whether the call had a request. Without one there was nothing to find. */
static bool had_request(const struct batch *b)
{
    for (int i = 0; i < b->count; i++)
        if (b->before[i] != MPI_REQUEST_NULL)
            return true;
    return false;
}

static void close_batch(struct batch *b, bool found)
{
    if (b->marked)
        ftc_native_call_leave();
    if (found && ftc_p2p_is_anyone_dead() && had_request(b))
        ftc_native_call_found();
    for (int i = 0; i < b->count; i++)
        if (b->request[i] == MPI_REQUEST_NULL)
            ftc_requests_remove_until(b->before[i], b->last_note);
    if (b->before != b->few)
        free(b->before);
    if (b->status != b->few_statuses)
        free(b->status);
}

/* Raises the error of a failed request, unless native MPI, which returned @rv, has called the error
 * handler. Returns the error code of the call. */
static int raise_error(struct batch *b, int rv)
{
    if (b->error == MPI_SUCCESS)
        return rv;
    if (rv == MPI_SUCCESS)
        ftc_error_raise(&(struct ftc_call){.comm = b->failed_comm});
    else
        ftc_error_keep();
    return b->error;
}

/* Returns whether native MPI must not test request @i, because it has failed, or is broken and not
 * active. */
static bool is_ours(const struct batch *b, int i, struct ftc_p2p_request *r)
{
    return ftc_requests_find(b->request[i], r) && (r->failed_by >= 0 || r->broken);
}

static void hide_ours(struct batch *b)
{
    struct ftc_p2p_request r;

    for (int i = 0; i < b->count; i++)
        b->native[i] = is_ours(b, i, &r) ? MPI_REQUEST_NULL : b->request[i];
}

/* Copies request @i back to the program's array. It may be const in a call that keeps requests. */
static void put_back(struct batch *b, int i)
{
    if (!b->call->keeps)
        b->request[i] = b->native[i];
}

/* Updates the program's requests after native MPI has tested the others. */
static void show_ours(struct batch *b)
{
    struct ftc_p2p_request r;

    for (int i = 0; i < b->count; i++)
        if (b->native[i] != MPI_REQUEST_NULL || !is_ours(b, i, &r))
            put_back(b, i);
}

/* Checks all requests, and returns whether any has failed that had not before. */
static bool find_failed(struct batch *b)
{
    struct ftc_p2p_request r;
    bool found = false;

    for (int i = 0; i < b->count; i++)
        if (ftc_requests_find(b->request[i], &r) && r.failed_by < 0 && !r.broken)
            found |= ftc_dead_fails(&r);
    return found;
}

static bool has_failed(const struct batch *b, int i, struct ftc_p2p_request *r)
{
    return is_ours(b, i, r) && r->failed_by >= 0;
}

/* Ends request @i, which has failed, and returns its error. In a call that keeps requests only
 * fills @status. */
static int finish(struct batch *b, int i, struct ftc_p2p_request *r, MPI_Status *status)
{
    int error = ftc_dead_result(ftc_call_name(b->call->kind), r, status);

    if (b->call->keeps) {
        ftc_error_drop();
        return MPI_SUCCESS;
    }
    if (error != MPI_SUCCESS && b->error == MPI_SUCCESS) {
        b->failed_comm = r->peers->comm == MPI_COMM_NULL ? MPI_COMM_WORLD : r->peers->comm;
        b->error = error;
    }
    ftc_dead_finish(r, &b->request[i]);
    return error;
}

static bool has_foreign(int count, const MPI_Request requests[])
{
    for (int i = 0; i < count; i++)
        if (ftc_requests_is_foreign(requests[i]))
            return true;
    return false;
}

/* Returns FTC_SOME_MEMBER if a request receives from any source, else FTC_ALL_MEMBERS, because
 * nothing more is known. */
static int peer_of(int count, const MPI_Request requests[])
{
    struct ftc_p2p_request r;

    for (int i = 0; i < count; i++)
        if (ftc_requests_find(requests[i], &r) && r.receives && r.peer == MPI_ANY_SOURCE)
            return FTC_SOME_MEMBER;
    return FTC_ALL_MEMBERS;
}

static void count_call(const struct ftc_p2p_completion *call, int count,
                       const MPI_Request requests[])
{
    if (ftc_coverage_is_on)
        ftc_native_call_count(call->kind,
                              has_foreign(count, requests) ? MPI_COMM_NULL : MPI_COMM_WORLD,
                              peer_of(count, requests), call->return_address);
}

/* Ranks that a call needs which has found nothing: @peer of @comm. */
struct need {
    MPI_Comm comm;
    int peer;
};

/* Returns what one request needs. A protected operation, or a request on a freed communicator,
 * needs no particular rank; the result is this rank. */
static struct need need_of_one(const struct ftc_p2p_request *r)
{
    if (r->peer == MPI_PROC_NULL || r->peers->comm == MPI_COMM_NULL)
        return (struct need){MPI_COMM_SELF, 0};
    return (struct need){r->peers->comm, r->peer == MPI_ANY_SOURCE ? FTC_SOME_MEMBER : r->peer};
}

/* Returns whether the call waits for the request, which is noted as @r. A request that needs a dead
 * rank ends soon, or has ended: it is broken and not active, or the rank's message has come. */
static bool is_awaited(const struct ftc_p2p_request *r)
{
    return !r->broken && r->failed_by < 0 &&
           (r->peer == MPI_ANY_SOURCE || ftc_dead_culprit_of(r) < 0);
}

/* Returns what the requests of a call need. Among those that it waits for, requests of other kinds
 * matter most, then receives from any source. */
static struct need need_of(const struct batch *b)
{
    struct need need = {MPI_COMM_NULL, MPI_PROC_NULL};
    struct ftc_p2p_request r;

    for (int i = 0; i < b->count; i++) {
        if (ftc_requests_is_foreign(b->request[i]))
            return (struct need){MPI_COMM_WORLD, FTC_ALL_MEMBERS};
        if (need.peer != FTC_SOME_MEMBER && b->request[i] != MPI_REQUEST_NULL &&
            !ftc_requests_is_complete(b->request[i]) && ftc_requests_find(b->request[i], &r) &&
            is_awaited(&r))
            need = need_of_one(&r);
    }
    return need;
}

static void mark(struct batch *b)
{
    const struct ftc_p2p_completion *call = b->call;
    struct need need = need_of(b);

    if (b->marked)
        ftc_native_call_leave();
    b->deaths = ftc_board_deaths(&ftc_library.board);
    if (call->waits)
        ftc_native_call_mark(call->kind, need.comm, need.peer, call->return_address);
    else if (need.comm != MPI_COMM_NULL)
        ftc_native_call_found_nothing(call->kind, need.comm, need.peer, call->return_address);
    b->marked = call->waits;
}

/* Returns whether the call has to be marked now. A wait is marked only after some turns, and anew
 * after a death, which may have ended the request that its mark is about. */
static bool is_worth_a_mark(const struct batch *b)
{
    if (b->marked)
        return b->deaths != ftc_board_deaths(&ftc_library.board);
    return !b->call->waits || b->wait.turns >= FTC_MARK_TURNS;
}

/* Passes the time after a test that has found nothing. Returns false if the call is over
 * nevertheless. */
static bool goes_on(struct batch *b)
{
    if (ftc_p2p_is_anyone_dead() && is_worth_a_mark(b))
        mark(b);
    if (b->call->waits)
        ftc_wait_native_turn(&b->wait);
    return b->call->waits;
}

static MPI_Status *status_of(MPI_Status statuses[], int i)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

static int error_of(const MPI_Status *status)
{
    return status == MPI_STATUS_IGNORE ? MPI_SUCCESS : status->MPI_ERROR;
}

static void set_error(MPI_Status *status, int error)
{
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = error;
}

/* Sets *@flag to 0 if native MPI has not written it. */
static void clear_if_unset(int *flag)
{
    if (*flag == FTC_P2P_UNSET)
        *flag = 0;
}

/* ---- one ---- */

static int test_one(struct batch *b, int *flag, MPI_Status *status)
{
    struct ftc_p2p_request r;
    int rv = MPI_SUCCESS;

    *flag = FTC_P2P_UNSET;
    if (!may_have_failed())
        return PMPI_Test(b->request, flag, status);
    hide_ours(b);
    if (!is_ours(b, 0, &r)) {
        rv = PMPI_Test(b->request, flag, status);
        if (*flag || rv != MPI_SUCCESS || !find_failed(b))
            return rv;
    }
    *flag = 1;
    if (has_failed(b, 0, &r))
        finish(b, 0, &r, status);
    else /* the request is broken and not active */
        PMPI_Test(&b->native[0], flag, status);
    return rv;
}

/* Returns whether a call waits only for requests of other kinds. Native MPI carries it out, because
 * MPICH 4.0.2 takes a persistent collective for complete in PMPI_Test* before it is. */
static bool is_native(const struct ftc_p2p_completion *call, int count,
                      const MPI_Request requests[])
{
    for (int i = 0; i < count; i++)
        if (!ftc_requests_is_foreign(requests[i]))
            return false;
    return call->waits;
}

static void mark_native(const struct ftc_p2p_completion *call)
{
    ftc_native_call_mark(call->kind, MPI_COMM_WORLD, FTC_ALL_MEMBERS, call->return_address);
}

int ftc_p2p_one(const struct ftc_p2p_completion *call, MPI_Request *request, int *flag,
                MPI_Status *status)
{
    struct batch b;
    int rv;

    count_call(call, 1, request);
    if (is_native(call, 1, request)) {
        mark_native(call);
        return ftc_native_call_leave_with(PMPI_Wait(request, status));
    }
    open_batch(&b, call, 1, request);
    do
        rv = test_one(&b, flag, status);
    while (!*flag && rv == MPI_SUCCESS && goes_on(&b));
    close_batch(&b, rv != MPI_SUCCESS || *flag);
    clear_if_unset(flag);
    return raise_error(&b, rv);
}

/* ---- all ---- */

/* Ends request @i, which has failed, in a call with several statuses. If the call returns
 * MPI_ERR_IN_STATUS, and only then, each status says how its request ended. */
static void finish_one_of(struct batch *b, int i, struct ftc_p2p_request *r, int rv,
                          MPI_Status *status)
{
    int error = finish(b, i, r, status);

    if (error != MPI_SUCCESS || rv == MPI_ERR_IN_STATUS)
        set_error(status, error);
}

/* Returns whether a failed request has an error for the program. With p2p = ignore only an error
 * that native MPI has raised is one. */
static bool reports_error(const struct ftc_p2p_request *r)
{
    return ftc_library.settings.p2p == FTC_P2P_ERROR || (r->pair && r->pair->raised != MPI_SUCCESS);
}

/* Ends the failed requests of a call. Native MPI has completed the others with @rv. */
static void finish_all(struct batch *b, int rv, MPI_Status statuses[])
{
    struct ftc_p2p_request r;
    bool clears = false;

    for (int i = 0; i < b->count; i++)
        clears |= rv == MPI_SUCCESS && !b->call->keeps && has_failed(b, i, &r) && reports_error(&r);
    for (int i = 0; i < b->count; i++) {
        if (has_failed(b, i, &r))
            finish_one_of(b, i, &r, clears ? MPI_ERR_IN_STATUS : rv, status_of(statuses, i));
        else if (clears)
            set_error(status_of(statuses, i), MPI_SUCCESS);
    }
    if (b->error != MPI_SUCCESS)
        b->error = ftc_error_in_status();
}

static int test_all(struct batch *b, int *flag, MPI_Status statuses[])
{
    int rv = MPI_SUCCESS;

    *flag = FTC_P2P_UNSET;
    if (!may_have_failed())
        return ftc_partitioned_test_all(b->count, b->request, b->call->keeps, flag, statuses);
    do {
        hide_ours(b);
        rv = ftc_partitioned_test_all(b->count, b->native, b->call->keeps, flag, statuses);
        show_ours(b);
    } while (!*flag && rv == MPI_SUCCESS && find_failed(b));
    if (*flag > 0 || rv == MPI_ERR_IN_STATUS)
        finish_all(b, rv, statuses);
    return rv;
}

/* Returns whether request @i still has to be completed. A request that is broken and not active
 * does not. */
static bool is_left(const struct batch *b, int i)
{
    struct ftc_p2p_request r;

    return b->request[i] != MPI_REQUEST_NULL && !(ftc_requests_find(b->request[i], &r) && r.broken);
}

/* Returns whether a request is pending after an error of another one. @status shows it; without a
 * status it may be. */
static bool is_pending(const MPI_Status *status)
{
    int error = error_of(status);

    return status == MPI_STATUS_IGNORE || error == MPI_ERR_PENDING ||
           error == MPIX_ERR_PROC_FAILED_PENDING;
}

static void finish_pending(struct batch *b, int i, MPI_Status *status)
{
    struct ftc_p2p_request r;
    int flag = 0, rv;

    while (!has_failed(b, i, &r)) {
        rv = PMPI_Test(&b->request[i], &flag, status);
        if (flag || rv != MPI_SUCCESS) {
            set_error(status, rv);
            return;
        }
        if (!may_have_failed() || !find_failed(b))
            goes_on(b);
    }
    finish_one_of(b, i, &r, MPI_ERR_IN_STATUS, status);
}

/* Releases request @i, whose status is set. Frees it, because a test would raise its error again. A
 * persistent request needs the test. */
static void let_go(struct batch *b, int i)
{
    struct ftc_p2p_request r;
    int flag;

    if (ftc_requests_find(b->request[i], &r) && !r.persistent)
        PMPI_Request_free(&b->request[i]);
    else
        PMPI_Test(&b->request[i], &flag, MPI_STATUS_IGNORE);
}

/* Waits for the requests that are pending after an error. Native MPI's test of all requests returns
 * with the first error. MPI_Waitall returns when all have ended, because the program may then use
 * their buffers. MPICH 4.2 also keeps requests that have ended, whose statuses it has set. */
static void wait_for_pending(struct batch *b, MPI_Status statuses[])
{
    for (int i = 0; i < b->count; i++) {
        if (!is_left(b, i))
            continue;
        if (is_pending(status_of(statuses, i)))
            finish_pending(b, i, status_of(statuses, i));
        else
            let_go(b, i);
    }
    if (b->error != MPI_SUCCESS)
        b->error = ftc_error_in_status();
}

/* Returns the statuses for a wait. Only a status shows which requests have ended with an error, and
 * another test of those would raise it again. If MPICH keeps them and the program passes no
 * statuses, these are the library's. */
static MPI_Status *statuses_of(struct batch *b, MPI_Status statuses[])
{
    if (statuses != MPI_STATUSES_IGNORE || !b->call->waits || ftc_inside_mpich() < KEEPS_FAILED)
        return statuses;
    b->status = b->count <= FEW ? b->few_statuses : malloc((size_t)b->count * sizeof *b->status);
    return b->status ? b->status : statuses;
}

int ftc_p2p_all(const struct ftc_p2p_completion *call, int count, MPI_Request requests[], int *flag,
                MPI_Status statuses[])
{
    struct batch b;
    int rv;

    count_call(call, count, requests);
    if (is_native(call, count, requests)) {
        mark_native(call);
        return ftc_native_call_leave_with(PMPI_Waitall(count, requests, statuses));
    }
    if (!open_batch(&b, call, count, requests))
        return ftc_partitioned_test_all(count, requests, call->keeps, flag, statuses);
    statuses = statuses_of(&b, statuses);
    do
        rv = test_all(&b, flag, statuses);
    while (!*flag && rv == MPI_SUCCESS && goes_on(&b));
    if (*flag <= 0 && rv == MPI_ERR_IN_STATUS && call->waits)
        wait_for_pending(&b, statuses);
    close_batch(&b, rv != MPI_SUCCESS || *flag);
    clear_if_unset(flag);
    return raise_error(&b, rv);
}

/* ---- any ---- */

/* Ends the first request that has failed. Returns whether there is one. */
static bool finish_any(struct batch *b, int *index, MPI_Status *status)
{
    struct ftc_p2p_request r;

    for (int i = 0; i < b->count; i++)
        if (has_failed(b, i, &r)) {
            *index = i;
            finish(b, i, &r, status);
            return true;
        }
    return false;
}

static int native_any(const struct ftc_p2p_completion *call, int count, MPI_Request requests[],
                      int *index, int *flag, MPI_Status *status)
{
    return call->keeps ? PMPI_Request_get_status_any(count, requests, index, flag, status)
                       : PMPI_Testany(count, requests, index, flag, status);
}

/* Tests for one complete request. Restores the error of the status, which MPICH 4.2 sets if it
 * finds no active request. */
static int test_any(struct batch *b, int *index, int *flag, MPI_Status *status)
{
    int error = error_of(status), rv;

    *flag = FTC_P2P_UNSET;
    if (!may_have_failed())
        return native_any(b->call, b->count, b->request, index, flag, status);
    do {
        hide_ours(b);
        rv = native_any(b->call, b->count, b->native, index, flag, status);
        show_ours(b);
        if (rv != MPI_SUCCESS || (*flag && *index != MPI_UNDEFINED))
            return rv;
        if (finish_any(b, index, status)) {
            set_error(status, error);
            *flag = 1;
            return rv;
        }
    } while (find_failed(b));
    return rv;
}

int ftc_p2p_any(const struct ftc_p2p_completion *call, int count, MPI_Request requests[],
                int *index, int *flag, MPI_Status *status)
{
    struct batch b;
    int rv;

    count_call(call, count, requests);
    if (!open_batch(&b, call, count, requests))
        return native_any(call, count, requests, index, flag, status);
    do
        rv = test_any(&b, index, flag, status);
    while (!*flag && rv == MPI_SUCCESS && goes_on(&b));
    close_batch(&b, rv != MPI_SUCCESS || *flag);
    clear_if_unset(flag);
    return raise_error(&b, rv);
}

/* ---- some ---- */

/* Adds the failed requests to the *@done requests that native MPI has completed with @rv. */
static void finish_some(struct batch *b, int rv, int *done, int indices[], MPI_Status statuses[])
{
    int native = *done == MPI_UNDEFINED ? 0 : *done, all = native;
    struct ftc_p2p_request r;
    int all_rv = rv;

    for (int i = 0; i < b->count; i++)
        if (!b->call->keeps && has_failed(b, i, &r) && reports_error(&r))
            all_rv = MPI_ERR_IN_STATUS;
    for (int i = 0; i < b->count; i++)
        if (has_failed(b, i, &r)) {
            finish_one_of(b, i, &r, all_rv, status_of(statuses, all));
            indices[all++] = i;
        }
    if (all > native)
        *done = all;
    if (b->error == MPI_SUCCESS)
        return;
    b->error = ftc_error_in_status();
    for (int i = 0; i < native && rv == MPI_SUCCESS; i++)
        set_error(status_of(statuses, i), MPI_SUCCESS);
}

static int native_some(const struct ftc_p2p_completion *call, int count, MPI_Request requests[],
                       int *done, int indices[], MPI_Status statuses[])
{
    return call->keeps ? PMPI_Request_get_status_some(count, requests, done, indices, statuses)
                       : PMPI_Testsome(count, requests, done, indices, statuses);
}

static int test_some(struct batch *b, int *done, int indices[], MPI_Status statuses[])
{
    int rv;

    *done = FTC_P2P_UNSET;
    if (!may_have_failed())
        return native_some(b->call, b->count, b->request, done, indices, statuses);
    find_failed(b);
    hide_ours(b);
    rv = native_some(b->call, b->count, b->native, done, indices, statuses);
    show_ours(b);
    if ((rv == MPI_SUCCESS || rv == MPI_ERR_IN_STATUS) && *done != FTC_P2P_UNSET)
        finish_some(b, rv, done, indices, statuses);
    return rv;
}

int ftc_p2p_some(const struct ftc_p2p_completion *call, int count, MPI_Request requests[],
                 int *done, int indices[], MPI_Status statuses[])
{
    struct batch b;
    int rv;

    count_call(call, count, requests);
    if (!open_batch(&b, call, count, requests))
        return native_some(call, count, requests, done, indices, statuses);
    do
        rv = test_some(&b, done, indices, statuses);
    while (*done == 0 && rv == MPI_SUCCESS && goes_on(&b));
    close_batch(&b, rv != MPI_SUCCESS || *done != 0);
    clear_if_unset(done);
    return raise_error(&b, rv);
}

/* ---- without completing the request ---- */

int ftc_p2p_get_status(const struct ftc_p2p_completion *call, MPI_Request request, int *flag,
                       MPI_Status *status)
{
    struct ftc_p2p_request r;
    struct batch b;
    bool known;
    int rv;

    look_at_pair(request);
    known = may_have_failed() && ftc_requests_find(request, &r);
    if (known && r.broken && r.failed_by < 0)
        return PMPI_Request_get_status(MPI_REQUEST_NULL, flag, status);
    if (known && ftc_dead_fails(&r)) {
        *flag = 1;
        ftc_dead_result(ftc_call_name(call->kind), &r, status);
        ftc_error_drop();
        return MPI_SUCCESS;
    }
    rv = PMPI_Request_get_status(request, flag, status);
    if (ftc_p2p_is_anyone_dead()) {
        open_batch(&b, call, 1, &request);
        if (rv == MPI_SUCCESS && !*flag)
            mark(&b);
        close_batch(&b, rv != MPI_SUCCESS || *flag);
    }
    return rv;
}

int ftc_p2p_arrived(const struct ftc_p2p_completion *call, MPI_Request request, int partition,
                    int *flag)
{
    struct ftc_p2p_request r;
    struct batch b;
    int rv;

    if (!ftc_p2p_is_anyone_dead() || !ftc_requests_find(request, &r))
        return PMPI_Parrived(request, partition, flag);
    *flag = r.broken || ftc_dead_fails(&r);
    if (*flag)
        return MPI_SUCCESS;
    rv = PMPI_Parrived(request, partition, flag);
    open_batch(&b, call, 1, &request);
    if (rv == MPI_SUCCESS && !*flag)
        mark(&b);
    close_batch(&b, rv != MPI_SUCCESS || *flag);
    return rv;
}
