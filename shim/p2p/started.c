/* Notes of requests: made when a request is made, removed when the program frees it. */
#include "buffered_init.h"
#include "lock.h"
#include "p2p.h"
#include "partitioned.h"
#include "progress/empty_request.h"

void ftc_p2p_note_protected(MPI_Request request, MPI_Comm comm)
{
    if (ftc_p2p_on())
        ftc_requests_add(request, comm, MPI_PROC_NULL, MPI_ANY_TAG, false, false);
}

/* Uses an inactive persistent request as the handle. No other request has the same handle, and
 * native MPI takes it for complete. */
bool ftc_p2p_note_dead(const struct ftc_p2p_call *call, MPI_Request *request)
{
    struct ftc_p2p_request r;
    int culprit = ftc_p2p_culprit(call);

    if (culprit < 0 || ftc_inactive_request(request) != MPI_SUCCESS)
        return false;
    ftc_requests_add(*request, call->comm, call->peer, call->tag, call->receives, false);
    if (ftc_requests_find(*request, &r)) {
        r.failed_by = culprit;
        r.placeholder = true;
        ftc_requests_update(&r);
    }
    return true;
}

/* Returns whether native MPI must not start the request, because its peer is dead. */
static bool starts_dead(MPI_Request handle)
{
    struct ftc_p2p_request r;

    if (!ftc_requests_find(handle, &r) || !r.persistent)
        return false;
    if (r.receives)
        r.begun = ftc_peers_begin(r.peers->comm, r.peer);
    ftc_p2p_lock();
    if (r.broken)
        r.failed_by = r.peer;
    else if (!r.receives)
        r.failed_by = ftc_peers_culprit(r.peers, r.peer, 0);
    ftc_p2p_unlock();
    ftc_requests_update(&r);
    return r.failed_by >= 0;
}

static bool has_buffered(int count, const MPI_Request requests[])
{
    struct ftc_p2p_request r;

    if (!atomic_load_explicit(&ftc_buffered_init_is_used, memory_order_relaxed))
        return false;
    for (int i = 0; i < count; i++)
        if (ftc_requests_find(requests[i], &r) && r.bsend)
            return true;
    return false;
}

static int start(MPI_Request *request)
{
    struct ftc_p2p_request r;

    if (ftc_p2p_is_anyone_dead() && starts_dead(*request))
        return MPI_SUCCESS;
    if (ftc_requests_find(*request, &r) && r.bsend)
        return ftc_buffered_init_start(r.bsend, request);
    return PMPI_Start(request);
}

int ftc_p2p_start_persistent(int count, MPI_Request requests[])
{
    int rv = MPI_SUCCESS;

    if (count <= 0 || (!ftc_p2p_is_anyone_dead() && !has_buffered(count, requests)))
        return count == 1 ? PMPI_Start(requests) : PMPI_Startall(count, requests);
    for (int i = 0; i < count && rv == MPI_SUCCESS; i++)
        rv = start(&requests[i]);
    return rv;
}

int ftc_p2p_free(MPI_Request *request)
{
    struct ftc_p2p_request r;
    bool is_known = ftc_requests_find(*request, &r);

    ftc_requests_remove(*request);
    ftc_partitioned_forget_collective(*request);
    if (is_known && r.bsend)
        ftc_buffered_init_free(r.bsend);
    if (!is_known || !r.partitioned || !r.broken)
        return PMPI_Request_free(request);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

/* Cancels a request. A request that has failed cannot be cancelled any more. */
int ftc_p2p_cancel(MPI_Request *request)
{
    struct ftc_p2p_request r;

    if (ftc_p2p_is_anyone_dead() && ftc_requests_find(*request, &r) &&
        (r.failed_by >= 0 || r.broken))
        return MPI_SUCCESS;
    return PMPI_Cancel(request);
}

/* Returns the world rank of @peer; MPI_UNDEFINED if it has none. */
static int world_rank_of(const struct ftc_peers *peers, int peer)
{
    int world = peer >= 0 && peer < peers->size ? peers->world[peer] : -1;

    return world >= 0 ? world : MPI_UNDEFINED;
}

/* Takes a message of a freed communicator as one of MPI_COMM_WORLD. */
void ftc_p2p_take_message(MPI_Message message, struct ftc_p2p_call *call)
{
    struct ftc_p2p_request r;

    call->peer = message == MPI_MESSAGE_NO_PROC ? MPI_PROC_NULL : MPI_UNDEFINED;
    if (!ftc_requests_find((MPI_Request)message, &r))
        return;
    call->comm = r.peers->comm;
    call->peer = r.peer;
    if (call->comm == MPI_COMM_NULL) {
        call->comm = MPI_COMM_WORLD;
        call->peer = world_rank_of(r.peers, r.peer);
    }
    call->tag = r.tag;
    ftc_requests_remove((MPI_Request)message);
}
