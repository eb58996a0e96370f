/* Calls that name their peer and leave no request. */
#include "dead_peer.h"
#include "lock.h"
#include "p2p.h"
#include "single_copy.h"
#include "ucx.h"

#include "program/error.h"
#include "program/native_call.h"
#include "program/native_poll.h"
#include "progress/wait.h"

bool ftc_p2p_is_on;

/* Returns whether a rank must survive native calls in which it copies large messages from a rank
 * that dies. They are calls of the program, or MPI's part in making a communicator or file. */
static bool survives_native_calls(void)
{
    return ftc_library.settings.p2p != FTC_P2P_NATIVE ||
           ftc_library.settings.communicators != FTC_COMMUNICATORS_NATIVE;
}

void ftc_p2p_prepare(void)
{
    if (ftc_library.settings.enable)
        ftc_ucx_choose_transports(!survives_native_calls() || ftc_single_copy_open());
}

int ftc_p2p_open(void)
{
    if (ftc_library.settings.p2p == FTC_P2P_NATIVE)
        return 0;
    ftc_peers_open();
    return ftc_requests_open();
}

void ftc_p2p_start(void)
{
    ftc_p2p_is_on = ftc_library.settings.p2p != FTC_P2P_NATIVE;
}

static struct ftc_p2p_request describe(const struct ftc_p2p_call *call, MPI_Request handle)
{
    struct ftc_p2p_request r = {
        .handle = handle,
        .peer = call->peer,
        .tag = call->tag,
        .failed_by = -1,
        .receives = call->receives,
    };

    ftc_p2p_lock();
    r.peers = ftc_peers_get(call->comm);
    ftc_p2p_unlock();
    return r;
}

/* Raises the error of a call, if there is one, and returns @rv. To be called when the call is over,
 * because the error handler is the program's. */
static int end(const struct ftc_p2p_call *call, int rv)
{
    ftc_error_raise(&(struct ftc_call){.comm = call->comm});
    return rv;
}

/* Makes the error of a call that @culprit prevents, and returns it. The call has no request yet, or
 * none any more. */
static int fail(const struct ftc_p2p_call *call, int culprit, MPI_Status *status)
{
    struct ftc_p2p_request r = describe(call, MPI_REQUEST_NULL);

    r.failed_by = culprit;
    return ftc_dead_result(call->name, &r, status);
}

int ftc_p2p_culprit(const struct ftc_p2p_call *call)
{
    if (!ftc_p2p_is_anyone_dead() || call->peer < 0)
        return -1;
    return ftc_dead_culprit(call->comm, call->peer);
}

bool ftc_p2p_refuses(const struct ftc_p2p_call *call, int *rv)
{
    int culprit = ftc_p2p_culprit(call);

    if (culprit < 0)
        return false;
    *rv = end(call, fail(call, culprit, MPI_STATUS_IGNORE));
    return true;
}

void ftc_p2p_abandon(MPI_Request *request)
{
    if (*request == MPI_REQUEST_NULL)
        return;
    PMPI_Cancel(request);
    PMPI_Request_free(request);
}

/* Returns whether @request has failed because a rank is dead. If so, frees it and stores the call's
 * error code in *@rv. @begun is the receive's number. */
static bool end_dead(const struct ftc_p2p_call *call, uint64_t begun, MPI_Request *request,
                     MPI_Status *status, int *rv)
{
    struct ftc_p2p_request r = describe(call, *request);

    r.begun = begun;
    if (!r.peers || !ftc_dead_fails(&r))
        return false;
    *rv = ftc_dead_result(call->name, &r, status);
    ftc_dead_finish(&r, request);
    return true;
}

/* Frees @request, which native MPI has completed with @rv. For an error, native MPI has called the
 * error handler. Returns @rv. */
static int end_alive(const struct ftc_p2p_call *call, MPI_Request *request, MPI_Status *status,
                     int rv)
{
    PMPI_Request_free(request);
    if (call->receives && call->peer == MPI_PROC_NULL)
        ftc_dead_empty(status); /* MPICH 4.0.2 fills it for blocking receives only */
    return rv;
}

/* Returns the peer that a call needs which has found nothing. A peer that is known to be dead would
 * have ended the call. */
static int need_of(const struct ftc_p2p_call *call)
{
    return call->peer == MPI_ANY_SOURCE ? FTC_SOME_MEMBER : call->peer;
}

static void mark_wait(const struct ftc_p2p_call *call, const struct ftc_wait *w, bool *marked)
{
    if (*marked || w->turns < FTC_MARK_TURNS || !ftc_p2p_is_anyone_dead())
        return;
    ftc_native_call_mark(call->kind, call->comm, need_of(call), call->return_address);
    *marked = true;
}

static void end_wait(bool marked)
{
    if (marked)
        ftc_native_call_leave();
    if (ftc_p2p_is_anyone_dead())
        ftc_native_call_found();
}

/* Waits until @request has ended. Unlike PMPI_Test, PMPI_Request_get_status does not look for
 * messages if the request is complete. If the peer is dead, the error is not raised yet. */
static int wait_for(const struct ftc_p2p_call *call, MPI_Request *request, MPI_Status *status)
{
    uint64_t begun = call->receives ? ftc_peers_begin(call->comm, call->peer) : 0;
    struct ftc_wait w = {0};
    bool marked = false;
    int flag, rv;

    for (;;) {
        rv = PMPI_Request_get_status(*request, &flag, status);
        if (flag || rv != MPI_SUCCESS) {
            rv = end_alive(call, request, status, rv);
            break;
        }
        if (ftc_p2p_is_anyone_dead() && end_dead(call, begun, request, status, &rv))
            break;
        mark_wait(call, &w, &marked);
        ftc_wait_native_turn(&w);
    }
    end_wait(marked);
    return rv;
}

int ftc_p2p_finish(const struct ftc_p2p_call *call, MPI_Request *request, MPI_Status *status)
{
    return end(call, wait_for(call, request, status));
}

int ftc_p2p_finish_both(const struct ftc_p2p_call *send, MPI_Request *send_request,
                        const struct ftc_p2p_call *receive, MPI_Request *receive_request,
                        MPI_Status *status)
{
    int received = wait_for(receive, receive_request, status), sent;

    if (*send_request == MPI_REQUEST_NULL)
        sent = fail(send, send->peer, MPI_STATUS_IGNORE);
    else
        sent = wait_for(send, send_request, MPI_STATUS_IGNORE);
    return end(receive, received == MPI_SUCCESS ? sent : received);
}

/* ---- probes ---- */

struct probe {
    const struct ftc_p2p_call *call;
    int *flag;
    MPI_Message *message;
    MPI_Status *status;
    int rv;
    bool is_refused; /* native MPI has found an error, whatever rv is */
};

/* Probes once. Returns true if there is a message, or if native MPI has found an error. */
static bool looks(void *context)
{
    struct probe *p = context;
    const struct ftc_p2p_call *call = p->call;

    *p->flag = FTC_P2P_UNSET;
    p->rv = p->message
                ? PMPI_Improbe(call->peer, call->tag, call->comm, p->flag, p->message, p->status)
                : PMPI_Iprobe(call->peer, call->tag, call->comm, p->flag, p->status);
    p->is_refused = p->rv != MPI_SUCCESS || *p->flag == FTC_P2P_UNSET;
    if (p->is_refused)
        *p->flag = 0;
    return p->is_refused || *p->flag;
}

/* Returns whether a probe that has found nothing ends, because a dead rank prevents a message, or
 * because one has come after all. With p2p = ignore it then finds a message without data from
 * MPI_PROC_NULL. */
static bool ends_dead(struct probe *p)
{
    int culprit = ftc_dead_culprit_of_probe(p->call->comm, p->call->peer, looks, p);

    if (culprit < 0)
        return p->is_refused || *p->flag;
    p->rv = fail(p->call, culprit, p->status);
    *p->flag = p->rv == MPI_SUCCESS;
    if (p->message && *p->flag)
        *p->message = MPI_MESSAGE_NO_PROC;
    return true;
}

/* Notes a matched message, because the call that receives it may wait for its sender. */
static void note_message(const struct probe *p)
{
    struct ftc_p2p_call call = *p->call;

    call.peer = p->status->MPI_SOURCE;
    call.tag = p->status->MPI_TAG;
    ftc_p2p_note(&call, false, (const MPI_Request *)p->message, MPI_SUCCESS);
}

int ftc_p2p_probe(const struct ftc_p2p_call *call, bool waits, int *flag, MPI_Message *message,
                  MPI_Status *status)
{
    MPI_Status own = {0};
    struct probe p = {.call = call,
                      .flag = flag,
                      .message = message,
                      .status = status == MPI_STATUS_IGNORE ? &own : status};
    struct ftc_wait w = {0};
    bool marked = false;

    while (!looks(&p) && !(ftc_p2p_is_anyone_dead() && ends_dead(&p)) && waits) {
        mark_wait(call, &w, &marked);
        ftc_wait_native_turn(&w);
    }
    if (*flag || p.is_refused || p.rv != MPI_SUCCESS)
        end_wait(marked);
    else if (ftc_p2p_is_anyone_dead())
        ftc_native_call_found_nothing(call->kind, call->comm, need_of(call), call->return_address);
    if (p.rv == MPI_SUCCESS && *flag && message)
        note_message(&p);
    return end(call, p.rv);
}
