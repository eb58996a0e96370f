#include "buffered.h"

#include "dead_peer.h"
#include "lock.h"
#include "mpi/inside.h"
#include "program/error.h"
#include "progress/wait.h"
#include "value/datatype.h"

#include <pthread.h>
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

enum { WITH_OTHER_BUFFERS = 402 }; /* MPICH 4.2 */

/* Outermost, as native MPI is called with it held; all that follows is under it. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct sent *all;
static size_t room, used; /* of the program's buffer */

void ftc_buffered_attach(size_t bytes)
{
    pthread_mutex_lock(&mutex);
    room = ftc_inside_mpich() < WITH_OTHER_BUFFERS ? bytes : 0;
    pthread_mutex_unlock(&mutex);
}

/* ---- under way ---- */

static size_t share_of(size_t bytes)
{
    return bytes + MPI_BSEND_OVERHEAD;
}

/* What native MPI may still send of it is not given back. */
static void forget(struct sent *s, bool is_sent)
{
    used -= share_of(s->bytes);
    ftc_p2p_lock();
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

/* True if it is over, and @s gone. */
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

static void look_at_all(void)
{
    struct sent **link = &all;

    while (*link) {
        struct sent *s = *link, *next = s->next;

        if (look_at(s))
            *link = next;
        else
            link = &s->next;
    }
}

/* What is sent meanwhile counts, too. */
static bool are_all_over(void)
{
    bool are;

    pthread_mutex_lock(&mutex);
    look_at_all();
    are = all == NULL;
    if (are)
        room = 0;
    pthread_mutex_unlock(&mutex);
    return are;
}

void ftc_buffered_detach(void)
{
    struct ftc_wait wait = {0};

    while (!are_all_over())
        ftc_wait_native_turn(&wait);
}

/* ---- sent ---- */

static struct ftc_peers *use_peers(MPI_Comm comm)
{
    struct ftc_peers *peers;

    ftc_p2p_lock();
    peers = ftc_peers_get(comm);
    if (peers)
        ftc_peers_use(peers);
    ftc_p2p_unlock();
    return peers;
}

/* A place for a message to @call's peer; NULL without room. */
static struct sent *take_room(const struct ftc_p2p_call *call, void *copy, size_t bytes)
{
    struct sent *s = NULL;

    if (used <= room && share_of(bytes) <= room - used)
        s = malloc(sizeof *s);
    if (!s)
        return NULL;
    *s = (struct sent){.request = MPI_REQUEST_NULL,
                       .copy = copy,
                       .bytes = bytes,
                       .peer = call->peer,
                       .tag = call->tag,
                       .peers = use_peers(call->comm)};
    if (!s->peers) {
        free(s);
        return NULL;
    }
    used += share_of(bytes);
    return s;
}

static int send_copy(const struct ftc_p2p_call *call, struct sent *s)
{
    int rv = PMPI_Isend_c(s->copy, (MPI_Count)s->bytes, MPI_PACKED, call->peer, call->tag,
                          call->comm, &s->request);

    if (rv != MPI_SUCCESS || s->request == MPI_REQUEST_NULL) {
        forget(s, true);
    } else if (!look_at(s)) {
        s->next = all;
        all = s;
    }
    return rv;
}

/* Native MPI says what is wrong with the arguments before the mutex is taken: error handlers may
 * leave by a jump, or send themselves. */
static bool is_accepted(const struct ftc_p2p_call *call, int *rv)
{
    MPI_Request request = MPI_REQUEST_NULL;

    *rv = PMPI_Send_init(NULL, 0, MPI_BYTE, call->peer, call->tag, call->comm, &request);
    if (*rv != MPI_SUCCESS || request == MPI_REQUEST_NULL)
        return false;
    PMPI_Request_free(&request);
    return true;
}

static int refuse(const struct ftc_p2p_call *call, size_t bytes)
{
    int rv = ftc_error_no_room(call->name, bytes);

    ftc_error_raise(&(struct ftc_call){.comm = call->comm});
    return rv;
}

static int send_packed(const struct ftc_p2p_call *call, void *copy, size_t bytes)
{
    struct sent *s;
    int rv;

    if (!is_accepted(call, &rv)) {
        free(copy);
        return rv;
    }
    pthread_mutex_lock(&mutex);
    look_at_all();
    s = take_room(call, copy, bytes);
    if (s)
        rv = send_copy(call, s);
    pthread_mutex_unlock(&mutex);
    if (s)
        return rv;
    free(copy);
    return refuse(call, bytes);
}

static bool is_attached(void)
{
    bool is;

    pthread_mutex_lock(&mutex);
    is = room > 0;
    pthread_mutex_unlock(&mutex);
    return is;
}

bool ftc_buffered_send(const struct ftc_p2p_call *call, const void *buf, MPI_Count count,
                       MPI_Datatype datatype, int *rv)
{
    MPI_Count bytes;
    void *copy;

    if (!is_attached() || call->peer < 0 || !ftc_is_comm(call->comm))
        return false;
    copy = ftc_packed_copy(buf, count, datatype, &bytes);
    if (!copy)
        return false;
    *rv = send_packed(call, copy, (size_t)bytes);
    return true;
}
