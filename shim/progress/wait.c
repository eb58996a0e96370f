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
    SPIN_TURNS = 4000,       /* with a core for each rank: a few tens of microseconds */
    EAGER_TURNS = 100,       /* the first of them, without a pause: news are mostly on their way */
    SPIN_TURNS_LINKED = 256, /* the same, where each turn is a system call */
    SPIN_TURNS_OVERSUBSCRIBED = 0, /* somebody else needs the core to get on */
    NATIVE_TURNS = 64,             /* turns between two looks at native MPI */
    TAKE_IN_TURNS = 10000,         /* others may go on sending */
    SLEEP_AFTER_NS = 2000000,      /* of yielding without any news */
    SLEEP_SHARE = 64,              /* sleep this part of the time waited so far ... */
    SLEEP_MAX_NS = 500000,         /* ... up to this */
};

void ftc_wait_reset(struct ftc_wait *w)
{
    *w = (struct ftc_wait){0};
}

/* A request that nobody completes: to look at one is what makes MPICH look at what the others have
 * sent, for a rendezvous that one of them is waiting for. Other than a probe it needs no
 * communicator, the making of which would be one more native collective. Threads may look at it at
 * the same time. */
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

/* A rank that works on a window of this one, or sends much, needs a look of this rank for each
 * step. So there is one in each turn, and no sleep. */
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

/* Without the lock: newer MPICHs keep a communicator that the program has freed until its last
 * message is sent, and then tell the attribute by which the library knows it. */
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

/* The longer the wait has been, the less a late wake-up adds to it. */
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

/* No other thread of the program is in a call here: there may be a core for each. */
static bool is_alone(void)
{
    return ftc_activity_inside(&ftc_library.board, ftc_library.world_rank) <= 1;
}

/* Also with MPI_THREAD_MULTIPLE: who yields a core that something else wants gets it back
 * milliseconds later, and native MPI, which the others may be in already, does not yield. */
static bool may_spin(const struct ftc_wait *w)
{
    return w->turns <= spin_turns() && (!ftc_library.threaded || is_alone());
}

/* Another thread may want to come in. */
static void spin(const struct ftc_wait *w)
{
    if (ftc_library.threaded)
        ftc_library_unlock();
    if (w->turns > EAGER_TURNS)
        pause_core();
    if (ftc_library.threaded)
        ftc_library_lock();
}

void ftc_wait_between_looks(struct ftc_wait *w)
{
    w->turns++;
    look_at_native(w);
    if (w->turns <= spin_turns())
        return;
    ftc_library_unlock();
    sched_yield();
    ftc_library_lock();
}

/* Returns since when the wait has been longer than spinning. */
static uint64_t since(struct ftc_wait *w, uint64_t now_ns)
{
    if (w->since_ns == 0)
        w->since_ns = now_ns;
    return w->since_ns;
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
    if (ftc_library.transport.links && waited_ns > SLEEP_AFTER_NS)
        ftc_unreachable_look();
    ftc_fence_check();
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
    now = ftc_clock_ns();
    since(w, now);
    yield_or_sleep(w, now);
}
