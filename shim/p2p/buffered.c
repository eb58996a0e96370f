#include "buffered.h"

#include "dead_peer.h"
#include "lock.h"
#include "mpi/inside.h"
#include "program/error.h"
#include "progress/wait.h"
#include "value/datatype.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum state { UNDER_WAY, SENT, GIVEN_UP };

/* Message of a buffered send. Several threads may test it at a time, without the mutex. */
struct sent {
    MPI_Request request; /* MPI_REQUEST_NULL: no thread may test it yet */
    enum state state;
    int holders; /* threads that test it; if it is over, the last one removes it */
    void *copy;
    size_t bytes;
    int peer, tag;
    struct ftc_peers *peers;
    struct sent *previous, *next;
};

enum { WITH_OTHER_BUFFERS = 402 }; /* MPICH 4.2 */

/* Innermost lock. MPICH may call functions of the program while it holds a lock of its own, and
 * these may send. A thread must therefore not wait for MPICH while it holds this mutex. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct sent *all;
static size_t room, used; /* bytes of the program's buffer, and how many of them are in use */
static int highest_tag;   /* highest tag that native MPI accepts; 0: no buffer so far */

static void lock(void)
{
    if (ftc_library.threaded)
        pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
    if (ftc_library.threaded)
        pthread_mutex_unlock(&mutex);
}

bool ftc_buffered_is_possible(void)
{
    return ftc_inside_mpich() < WITH_OTHER_BUFFERS;
}

void ftc_buffered_attach(size_t bytes)
{
    int *highest = NULL, found = 0;

    if (!ftc_buffered_is_possible())
        return;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &highest, &found);
    lock();
    room = bytes;
    if (highest_tag == 0 && found)
        highest_tag = *highest;
    unlock();
}

/* ---- messages under way ---- */

static size_t share_of(size_t bytes)
{
    return bytes + MPI_BSEND_OVERHEAD;
}

static void put_in(struct sent *s)
{
    s->previous = NULL;
    s->next = all;
    if (all)
        all->previous = s;
    all = s;
}

static void take_out(struct sent *s)
{
    if (s->previous)
        s->previous->next = s->next;
    else
        all = s->next;
    if (s->next)
        s->next->previous = s->previous;
}

/* Finds the first message from @s on that has to be tested, and holds it for this thread; NULL:
 * none. Other threads may hold it too. */
static struct sent *hold(struct sent *s)
{
    while (s && (s->request == MPI_REQUEST_NULL || s->state != UNDER_WAY))
        s = s->next;
    if (s)
        s->holders++;
    return s;
}

/* Releases a message that this thread has tested with the result @found. Its room is free as soon
 * as one thread has found it over. Returns true if it is over and no other thread holds it: the
 * caller then frees it. */
static bool let_go(struct sent *s, enum state found)
{
    assert(s->holders > 0);
    s->holders--;
    if (s->state == UNDER_WAY && found != UNDER_WAY) {
        s->state = found;
        used -= share_of(s->bytes);
    }
    if (s->state == UNDER_WAY || s->holders > 0)
        return false;
    take_out(s);
    return true;
}

/* Frees a message. Leaks its copy if native MPI may still send it. */
static void forget(struct sent *s)
{
    if (s->request != MPI_REQUEST_NULL)
        PMPI_Request_free(&s->request);
    ftc_p2p_lock();
    if (s->peers)
        ftc_peers_drop(s->peers);
    ftc_p2p_unlock();
    if (s->state != GIVEN_UP)
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

/* Tests a message. Leaves the request as it is, because other threads may test it meanwhile. */
static enum state look_at(const struct sent *s)
{
    int flag = 0;

    PMPI_Request_get_status(s->request, &flag, MPI_STATUS_IGNORE);
    if (flag)
        return SENT;
    return fails(s) ? GIVEN_UP : UNDER_WAY;
}

static void look_at_all(void)
{
    struct sent *s, *next;

    lock();
    s = hold(all);
    unlock();
    for (; s; s = next) {
        enum state found = look_at(s);
        bool is_gone;

        lock();
        next = hold(s->next);
        is_gone = let_go(s, found);
        unlock();
        if (is_gone)
            forget(s);
    }
}

/* Returns whether all messages are over, also those that were sent meanwhile. If so, the buffer has
 * no room any more. */
static bool are_all_over(void)
{
    bool are;

    look_at_all();
    lock();
    are = used == 0;
    if (are)
        room = 0;
    unlock();
    return are;
}

void ftc_buffered_detach(void)
{
    struct ftc_wait wait = {0};

    while (!are_all_over())
        ftc_wait_native_turn(&wait);
}

/* ---- sending ---- */

/* Returns the peers of the call's communicator, for use by a message. Returns NULL if native MPI
 * has to reject the arguments. They are checked before a message is sent, because native MPI's
 * error handlers may leave by a jump. */
static struct ftc_peers *use_peers(const struct ftc_p2p_call *call)
{
    struct ftc_peers *peers;

    ftc_p2p_lock();
    peers = ftc_peers_get(call->comm);
    if (peers && (call->peer >= peers->size || call->tag < 0 || call->tag > highest_tag))
        peers = NULL;
    if (peers)
        ftc_peers_use(peers);
    ftc_p2p_unlock();
    return peers;
}

/* Makes a message. Returns NULL if native MPI has to send it, or to report an error in the
 * arguments. */
static struct sent *make(const struct ftc_p2p_call *call, const void *buf, MPI_Count count,
                         MPI_Datatype datatype)
{
    struct sent *s = calloc(1, sizeof *s);
    MPI_Count bytes = 0;

    if (!s)
        return NULL;
    s->request = MPI_REQUEST_NULL;
    s->peer = call->peer;
    s->tag = call->tag;
    s->peers = use_peers(call);
    s->copy = s->peers ? ftc_packed_copy(buf, count, datatype, &bytes) : NULL;
    s->bytes = (size_t)bytes;
    if (s->copy)
        return s;
    forget(s);
    return NULL;
}

/* Takes room for a message, and holds the message for this thread, which is about to send it.
 * Returns false if there is no room. */
static bool take_room(struct sent *s)
{
    bool is_there;

    lock();
    is_there = used <= room && share_of(s->bytes) <= room - used;
    if (is_there) {
        used += share_of(s->bytes);
        s->holders = 1;
        put_in(s);
    }
    unlock();
    return is_there;
}

/* Sends the copy of a message. Tests it at once, because a small message is complete by then. */
static int send_copy(const struct ftc_p2p_call *call, struct sent *s)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int rv = PMPI_Isend_c(s->copy, (MPI_Count)s->bytes, MPI_PACKED, call->peer, call->tag,
                          call->comm, &request);
    int flag = 1;
    bool is_gone;

    if (rv == MPI_SUCCESS && request != MPI_REQUEST_NULL)
        PMPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    lock();
    s->request = flag ? MPI_REQUEST_NULL : request;
    is_gone = let_go(s, flag ? SENT : UNDER_WAY);
    unlock();
    if (is_gone)
        forget(s);
    return rv;
}

static int refuse(const struct ftc_p2p_call *call, struct sent *s)
{
    int rv = ftc_error_no_room(call->name, s->bytes);

    forget(s);
    return rv;
}

static bool is_attached(void)
{
    bool is;

    lock();
    is = room > 0;
    unlock();
    return is;
}

bool ftc_buffered_try(const struct ftc_p2p_call *call, const void *buf, MPI_Count count,
                      MPI_Datatype datatype, int *rv, bool *is_refused)
{
    struct sent *s;

    *is_refused = false;
    if (!is_attached() || call->peer < 0)
        return false;
    s = make(call, buf, count, datatype);
    if (!s)
        return false;
    look_at_all();
    *is_refused = !take_room(s);
    *rv = *is_refused ? refuse(call, s) : send_copy(call, s);
    return true;
}

bool ftc_buffered_send(const struct ftc_p2p_call *call, const void *buf, MPI_Count count,
                       MPI_Datatype datatype, int *rv)
{
    bool is_refused, is_done = ftc_buffered_try(call, buf, count, datatype, rv, &is_refused);

    if (is_refused)
        ftc_error_raise(&(struct ftc_call){.comm = call->comm});
    return is_done;
}
