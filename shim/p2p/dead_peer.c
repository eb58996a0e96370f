#include "dead_peer.h"

#include "board/rank_state.h"
#include "lock.h"
#include "program/error.h"
#include "progress/wait.h"
#include "single_copy.h"

/* Native turns after which all that a rank sent before it died has been received. Its messages are
 * in this rank's queue in shared memory, which has 64 entries (doc/design.md, section 7). Each turn
 * takes at least one out (mpi/inside.def, MESSAGES). */
enum { TURNS = 256 };

/* Number of deaths when native MPI last got that many turns. */
static _Atomic uint32_t drained;

static uint32_t deaths(void)
{
    return ftc_board_deaths(&ftc_library.board);
}

static bool has_ended(MPI_Request handle, MPI_Status *status)
{
    int flag = 0;

    PMPI_Request_get_status(handle, &flag, status);
    return flag != 0;
}

/* Gives native MPI the turns to receive what the dead had sent. Returns true as soon as @found
 * does. */
static bool drain(bool (*found)(void *), void *context)
{
    uint32_t now = deaths();
    bool known = atomic_load(&drained) == now;

    for (int i = 0; i < (known ? 1 : TURNS); i++)
        if (found(context))
            return true;
    atomic_store(&drained, now);
    return false;
}

/* Gives native MPI a turn. This is no probe on MPI_COMM_SELF, for which MPICH looks only for
 * messages to itself. */
static bool look_at_native(void *unused)
{
    (void)unused;
    ftc_wait_look_at_native();
    return false;
}

void ftc_dead_take_in(void)
{
    drain(look_at_native, NULL);
}

/* Returns whether native MPI had received all that the dead had sent before this call. If not, lets
 * it do so: its own test must then see first what has come. A test of the request here would raise
 * the request's error, and the native test would raise it again. */
static bool was_taken_in(void)
{
    bool known = atomic_load(&drained) == deaths();

    if (!known)
        ftc_dead_take_in();
    return known;
}

static int culprit_in(struct ftc_peers *peers, int peer, uint64_t begun, bool reports)
{
    int culprit;

    ftc_p2p_lock();
    culprit = peers ? ftc_peers_culprit(peers, peer, begun) : -1;
    if (culprit >= 0 && reports && peer == MPI_ANY_SOURCE)
        ftc_peers_mark_reported(peers, culprit);
    ftc_p2p_unlock();
    return culprit;
}

static struct ftc_peers *peers_of(MPI_Comm comm)
{
    struct ftc_peers *peers;

    ftc_p2p_lock();
    peers = ftc_peers_get(comm);
    ftc_p2p_unlock();
    return peers;
}

int ftc_dead_culprit_of(const struct ftc_p2p_request *r)
{
    return culprit_in(r->peers, r->peer, r->begun, false);
}

int ftc_dead_culprit(MPI_Comm comm, int peer)
{
    return culprit_in(peers_of(comm), peer, 0, false);
}

int ftc_dead_culprit_of_probe(MPI_Comm comm, int peer, bool (*found)(void *), void *context)
{
    struct ftc_peers *peers = peers_of(comm);
    uint64_t begun = ftc_peers_begin(comm, peer);

    if (culprit_in(peers, peer, begun, false) < 0 || drain(found, context))
        return -1;
    return culprit_in(peers, peer, begun, true);
}

/* Returns whether the sender of the message for @r is dead. @r has its message and cannot be
 * cancelled. If it receives from any source, the sender may be a living rank, and native MPI would
 * write into the buffer after the receive has ended. Such a receive counts only if a copy was lost
 * or all other members are dead. */
static bool is_served_by_the_dead(const struct ftc_p2p_request *r)
{
    bool lost = ftc_single_copy_take_lost(), alone;

    if (r->peer != MPI_ANY_SOURCE || lost)
        return true;
    ftc_p2p_lock();
    alone = ftc_peers_are_dead(r->peers);
    ftc_p2p_unlock();
    return alone;
}

/* Cancels a receive. Returns false if a message has come after all, or may come. A message on its
 * way from the dead rank can neither come nor be cancelled, so the result is true for it. */
static bool take_back(const struct ftc_p2p_request *r)
{
    MPI_Request handle = r->handle;
    MPI_Status status;
    int cancelled;

    PMPI_Cancel(&handle);
    for (int i = 0; i < TURNS; i++) {
        if (!has_ended(handle, &status))
            continue;
        PMPI_Test_cancelled(&status, &cancelled);
        return cancelled != 0;
    }
    return is_served_by_the_dead(r);
}

bool ftc_dead_fails(struct ftc_p2p_request *r)
{
    int culprit;

    if (r->failed_by >= 0)
        return true;
    if (ftc_dead_culprit_of(r) < 0 || !was_taken_in() || has_ended(r->handle, MPI_STATUS_IGNORE))
        return false;
    culprit = culprit_in(r->peers, r->peer, r->begun, true);
    if (culprit < 0)
        return false;
    if (r->receives && !r->partitioned && !take_back(r)) {
        ftc_p2p_lock();
        if (r->peer == MPI_ANY_SOURCE)
            ftc_peers_unmark_reported(r->peers, culprit);
        ftc_p2p_unlock();
        return false;
    }
    r->failed_by = culprit;
    ftc_requests_update(r);
    return true;
}

static void finish_persistent(struct ftc_p2p_request *r)
{
    MPI_Request handle = r->handle;
    int flag = 0;

    if (!r->broken)
        PMPI_Test(&handle, &flag, MPI_STATUS_IGNORE);
    r->broken = !flag;
    if (r->broken)
        r->peer = r->failed_by;
    r->failed_by = -1;
    ftc_requests_update(r);
}

void ftc_dead_finish(struct ftc_p2p_request *r, MPI_Request *handle)
{
    int flag = 0;

    if (r->persistent) {
        finish_persistent(r);
        return;
    }
    ftc_requests_remove(r->handle);
    if (!r->placeholder)
        PMPI_Test(handle, &flag, MPI_STATUS_IGNORE);
    if (!flag)
        PMPI_Request_free(handle);
}

/* Fills a status, except for MPI_ERROR, which only calls with several statuses write (MPI 4.0,
 * section 3.2.5). */
static void fill(MPI_Status *status, int source, int tag)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
}

static void copy(MPI_Status *status, const MPI_Status *from)
{
    int error;

    if (status == MPI_STATUS_IGNORE)
        return;
    error = status->MPI_ERROR;
    *status = *from;
    status->MPI_ERROR = error;
}

void ftc_dead_empty(MPI_Status *status)
{
    fill(status, MPI_PROC_NULL, MPI_ANY_TAG);
}

int ftc_dead_result(const char *name, const struct ftc_p2p_request *r, MPI_Status *status)
{
    int32_t world = r->peers->world[r->failed_by];

    if (r->pair && r->pair->raised != MPI_SUCCESS) {
        copy(status, &r->pair->received);
        return r->pair->raised;
    }
    if (ftc_library.settings.p2p == FTC_P2P_IGNORE) {
        ftc_dead_empty(status);
        return MPI_SUCCESS;
    }
    if (r->pair)
        copy(status, &r->pair->received);
    else
        fill(status, r->failed_by, r->tag);
    return ftc_error_dead_peer(name, r->failed_by, (uint32_t)world);
}
