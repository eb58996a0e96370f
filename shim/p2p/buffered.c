#include "buffered.h"

#include "dead_peer.h"
#include "lock.h"
#include "program/error.h"
#include "progress/wait.h"
#include "value/datatype.h"

#include <stdint.h>
#include <stdlib.h>

/* A message under way. */
struct sent {
    MPI_Request request;
    void *copy;
    size_t bytes;
    int peer, tag;
    struct ftc_peers *peers;
    struct sent *next;
};

/* Under the lock of lock.h. */
static struct sent *all;
static size_t room, used; /* of the program's buffer */
static int count;         /* under way, also those that a thread is just looking at */

void ftc_buffered_attach(size_t bytes)
{
    ftc_p2p_lock();
    room = bytes;
    ftc_p2p_unlock();
}

void ftc_buffered_detach(void)
{
    ftc_buffered_complete();
    ftc_buffered_attach(0);
}

/* ---- under way ---- */

static size_t share_of(size_t bytes)
{
    return bytes + MPI_BSEND_OVERHEAD;
}

/* What native MPI may still send of it is not given back. */
static void forget(struct sent *s, bool is_sent)
{
    ftc_p2p_lock();
    used -= share_of(s->bytes);
    count--;
    ftc_peers_drop(s->peers);
    ftc_p2p_unlock();
    if (is_sent)
        free(s->copy);
    free(s);
}

static bool fails(const struct sent *s)
{
    struct ftc_p2p_request r = {
        .handle = s->request,
        .peer = s->peer,
        .tag = s->tag,
        .failed_by = -1,
        .peers = s->peers,
    };

    return ftc_p2p_is_anyone_dead() && ftc_dead_fails(&r);
}

/* True if it is over. */
static bool look_at(struct sent *s)
{
    int flag = 0;

    PMPI_Test(&s->request, &flag, MPI_STATUS_IGNORE);
    if (!flag && !fails(s))
        return false;
    if (!flag)
        PMPI_Request_free(&s->request);
    forget(s, flag);
    return true;
}

static struct sent *take_all(void)
{
    struct sent *list;

    ftc_p2p_lock();
    list = all;
    all = NULL;
    ftc_p2p_unlock();
    return list;
}

static void put_back(struct sent *s)
{
    ftc_p2p_lock();
    s->next = all;
    all = s;
    ftc_p2p_unlock();
}

static void look_at_all(void)
{
    struct sent *next;

    for (struct sent *s = take_all(); s; s = next) {
        next = s->next;
        if (!look_at(s))
            put_back(s);
    }
}

static bool are_under_way(void)
{
    bool are;

    ftc_p2p_lock();
    are = count > 0;
    ftc_p2p_unlock();
    return are;
}

void ftc_buffered_complete(void)
{
    struct ftc_wait wait = {0};

    while (are_under_way()) {
        look_at_all();
        ftc_wait_native_turn(&wait);
    }
}

/* ---- sent ---- */

static bool is_attached(void)
{
    bool is;

    ftc_p2p_lock();
    is = room > 0;
    ftc_p2p_unlock();
    return is;
}

/* Takes a place for a message to @call's peer; NULL without room, or without memory. */
static struct sent *take_room(const struct ftc_p2p_call *call, size_t bytes)
{
    struct sent *s = malloc(sizeof *s);

    if (!s)
        return NULL;
    *s = (struct sent){.bytes = bytes, .peer = call->peer, .tag = call->tag};
    ftc_p2p_lock();
    s->peers = ftc_peers_get(call->comm);
    if (s->peers && used <= room && share_of(bytes) <= room - used) {
        ftc_peers_use(s->peers);
        used += share_of(bytes);
        count++;
    } else {
        free(s);
        s = NULL;
    }
    ftc_p2p_unlock();
    return s;
}

static int send_copy(const struct ftc_p2p_call *call, struct sent *s)
{
    int rv = PMPI_Isend_c(s->copy, (MPI_Count)s->bytes, MPI_PACKED, call->peer, call->tag,
                          call->comm, &s->request);

    if (rv != MPI_SUCCESS || s->request == MPI_REQUEST_NULL)
        forget(s, true);
    else if (!look_at(s))
        put_back(s);
    return rv;
}

/* What else is wrong comes first. */
static int refuse(const struct ftc_p2p_call *call, size_t bytes)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int rv = PMPI_Send_init(NULL, 0, MPI_BYTE, call->peer, call->tag, call->comm, &request);

    if (rv != MPI_SUCCESS || request == MPI_REQUEST_NULL)
        return rv;
    PMPI_Request_free(&request);
    rv = ftc_error_no_room(call->name, bytes);
    ftc_error_raise(&(struct ftc_call){.comm = call->comm});
    return rv;
}

bool ftc_buffered_send(const struct ftc_p2p_call *call, const void *buf, MPI_Count elements,
                       MPI_Datatype datatype, int *rv)
{
    MPI_Count bytes;
    struct sent *s;
    void *copy;

    if (!is_attached() || call->peer < 0 || !ftc_is_comm(call->comm))
        return false;
    copy = ftc_packed_copy(buf, elements, datatype, &bytes);
    if (!copy)
        return false;
    look_at_all();
    s = take_room(call, (size_t)bytes);
    if (!s) {
        free(copy);
        *rv = refuse(call, (size_t)bytes);
        return true;
    }
    s->copy = copy;
    s->request = MPI_REQUEST_NULL;
    *rv = send_copy(call, s);
    return true;
}
