#include "wait.h"

#include "board/activity.h"
#include "detector/killed.h"
#include "detector/silence.h"
#include "detector/unreachable.h"
#include "empty_request.h"
#include "mpi/polls.h"
#include "running.h"
#include "system/clock.h"

#include <sched.h>
#include <time.h>

enum {
    SPIN_TURNS = 4000,             /* with a core for each rank: some tens of microseconds */
    EAGER_TURNS = 100,             /* first turns without a pause: most messages come then */
    SPIN_TURNS_LINKED = 256,       /* with links, where each turn is a system call */
    SPIN_TURNS_OVERSUBSCRIBED = 0, /* another process needs the core to make progress */
    NATIVE_TURNS = 64,             /* turns between two calls of native MPI */
    TAKE_IN_TURNS = 10000,         /* bound, because other ranks may go on sending */
    SLEEP_AFTER_NS = 2000000,      /* time of yielding before the first sleep */
    SLEEP_SHARE = 64,              /* part of the time waited so far to sleep ... */
    SLEEP_MAX_NS = 500000,         /* ... but no longer than this */
};

void ftc_wait_reset(struct ftc_wait *w)
{
    *w = (struct ftc_wait){0};
}

/* Request that never completes while the library is in use. Testing it makes MPICH process what
 * other ranks have sent, such as a rendezvous that a rank waits for. Unlike a probe it needs no
 * communicator, which would take one more native collective. Several threads may test it at the
 * same time. */
static MPI_Request endless = MPI_REQUEST_NULL;

int ftc_wait_open(void)
{
    return ftc_empty_request(&endless);
}

void ftc_wait_close(void)
{
    if (endless == MPI_REQUEST_NULL)
        return;
    PMPI_Grequest_complete(endless);
    PMPI_Wait(&endless, MPI_STATUS_IGNORE);
}

_Thread_local bool ftc_wait_is_looking;

void ftc_wait_look_at_native(void)
{
    int flag;

    ftc_wait_is_looking = true;
    PMPI_Request_get_status(endless, &flag, MPI_STATUS_IGNORE);
    ftc_wait_is_looking = false;
}

_Thread_local uint32_t ftc_wait_taken_in;

void ftc_wait_take_in(void)
{
    ftc_wait_taken_in = ftc_activity_version(&ftc_library.board, (uint32_t)ftc_library.world_rank);
    for (int turn = 0; turn < TAKE_IN_TURNS; turn++) {
        ftc_polls_have_found = false;
        ftc_wait_look_at_native();
        if (!ftc_polls_have_found)
            return;
    }
}

/* Notes whether native MPI has had work. A rank that accesses a window of this rank, or sends much,
 * needs a poll of this rank for each step. Native MPI then gets every turn, and the rank does not
 * sleep. */
static void heed_native(struct ftc_wait *w)
{
    if (!ftc_polls_have_found)
        return;
    ftc_polls_have_found = false;
    w->native_turn = w->turns;
    w->native_ns = ftc_clock_ns();
}

static void let_native_work(struct ftc_wait *w)
{
    ftc_polls_have_found = false;
    ftc_wait_look_at_native();
    heed_native(w);
}

static bool is_native_busy(const struct ftc_wait *w)
{
    return w->native_ns != 0 && w->turns - w->native_turn < NATIVE_TURNS;
}

/* Lets native MPI make progress, if it is its turn. Releases the library's lock, because newer
 * MPICH versions keep a freed communicator until its last message is sent. They then call the
 * function of the attribute by which the library knows the communicator. */
static void look_at_native(struct ftc_wait *w)
{
    if (w->turns % NATIVE_TURNS != 0 && !is_native_busy(w))
        return;
    ftc_library_unlock();
    let_native_work(w);
    ftc_library_lock();
}

static void pause_core(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Gives the core away. The longer the rank has waited, the longer it may sleep, because a late
 * wake-up then adds relatively little. */
static void yield_or_sleep(struct ftc_wait *w, uint64_t now_ns)
{
    uint64_t quiet_ns = now_ns - (w->native_ns > w->since_ns ? w->native_ns : w->since_ns);
    uint64_t ns = quiet_ns / SLEEP_SHARE;

    if (quiet_ns < SLEEP_AFTER_NS || is_native_busy(w)) {
        sched_yield();
        return;
    }
    if (ns > SLEEP_MAX_NS)
        ns = SLEEP_MAX_NS;
    nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
    let_native_work(w);
}

static uint32_t spin_turns(void)
{
    if (ftc_library.oversubscribed)
        return SPIN_TURNS_OVERSUBSCRIBED;
    return ftc_library.transport.links ? SPIN_TURNS_LINKED : SPIN_TURNS;
}

/* Returns whether no other thread of the program is in a call of the library, so that each waiting
 * thread may have a core. */
static bool is_alone(void)
{
    return ftc_activity_inside(&ftc_library.board, ftc_library.world_rank) <= 1;
}

/* Returns whether to spin, also with MPI_THREAD_MULTIPLE. A thread that yields a core which another
 * process wants gets it back milliseconds later. The other ranks may already be in native MPI,
 * which does not yield. */
static bool may_spin(const struct ftc_wait *w)
{
    return w->turns <= spin_turns() && (!ftc_library.threaded || is_alone());
}

/* Spins once. With several threads it releases the lock for another thread that may want it. */
static void spin(const struct ftc_wait *w)
{
    if (ftc_library.threaded)
        ftc_library_unlock();
    if (w->turns > EAGER_TURNS)
        pause_core();
    if (ftc_library.threaded)
        ftc_library_lock();
}

/* Returns the time since when the wait has been longer than spinning. */
static uint64_t since(struct ftc_wait *w, uint64_t now_ns)
{
    if (w->since_ns == 0)
        w->since_ns = now_ns;
    return w->since_ns;
}

/* Ends this process, or the job, if this rank may not go on: it was declared dead, or has had no
 * connection to another one for too long. */
static void check_connections(uint64_t waited_ns)
{
    if (ftc_library.transport.links && waited_ns > SLEEP_AFTER_NS)
        ftc_unreachable_look();
    ftc_fence_check();
}

void ftc_wait_between_polls(struct ftc_wait *w)
{
    uint64_t now;

    w->turns++;
    look_at_native(w);
    if (w->turns <= spin_turns())
        return;
    now = ftc_clock_ns();
    check_connections(now - since(w, now));
    ftc_library_unlock();
    sched_yield();
    ftc_library_lock();
}

bool ftc_wait_turn(struct ftc_wait *w, struct ftc_comm *c)
{
    uint64_t now, waited_ns;

    w->turns++;
    look_at_native(w);
    if (may_spin(w)) {
        spin(w);
        return false;
    }
    now = ftc_clock_ns();
    waited_ns = now - since(w, now);
    check_connections(waited_ns);
    ftc_silence_look(c, ftc_running_expects);
    ftc_killed_look(c, now);
    ftc_library_unlock();
    yield_or_sleep(w, now);
    ftc_library_lock();
    return waited_ns > SLEEP_AFTER_NS;
}

void ftc_wait_native_turn(struct ftc_wait *w)
{
    uint64_t now;

    w->turns++;
    if (w->turns <= spin_turns() && !ftc_library.threaded)
        return;
    heed_native(w);
    ftc_fence_check();
    now = ftc_clock_ns();
    since(w, now);
    yield_or_sleep(w, now);
}
