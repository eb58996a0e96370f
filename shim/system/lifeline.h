/* lifeline: early news of a process's death.
 *
 * The kernel reports the end of a process to its parent only after it has taken the process's
 * memory apart and all its threads have run once more: milliseconds for a small MPI process,
 * seconds for one of many gigabytes. But robust mutexes are released before that, at the beginning
 * of a thread's exit. The rank locks one on the board and never unlocks it.
 *
 * Whoever finds it released asks the kernel whether the whole process is ending. Two do: the rank's
 * monitor process, which waits for the lock in a thread, and the ranks that wait for a message.
 * They are running, while the monitor process first has to be given a core, in competition with its
 * own dying rank: the scheduler takes the two for one group, and what the one has used the other
 * has to wait for.
 *
 * This is only ever early news: without it the end of the process itself tells the same. But it
 * tells the monitor process, which may end first, by somebody's hand. So that holds a lock, too:
 * the other monitor processes wait for it, and the rank looks whether it is still held.
 */
#ifndef FTC_SYSTEM_LIFELINE_H
#define FTC_SYSTEM_LIFELINE_H

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { FTC_LIFELINE_THREADS = 64 };

/* A lock that a thread holds until its end. */
struct ftc_hold {
    pthread_mutex_t mutex;
    _Atomic int holder; /* the thread that holds it; 0: not yet */
};

struct ftc_lifeline {
    struct ftc_hold rank, monitor;
    _Atomic bool left_alone;      /* its end is that of the whole job, and not to be found */
    _Atomic bool examined;        /* a rank has found its lock released */
    _Atomic uint64_t gave_way_ns; /* CLOCK_MONOTONIC */
    _Atomic int32_t thread[FTC_LIFELINE_THREADS]; /* of the process, as many as are known, then 0 */
};

/* A lock that one thread after the other holds: made once, and taken when the one before has ended.
 * Makes returns 0 or a negative errno. */
int ftc_hold_make(struct ftc_hold *hold);
void ftc_hold_take_over(struct ftc_hold *hold);

/* Takes the lock, for the calling thread and until its end, and lists the threads that there are.
 * Returns 0 or a negative errno. */
int ftc_lifeline_begin(struct ftc_lifeline *life);

/* Takes the lock of the monitor process, for the calling thread and until its end. Returns 0 or a
 * negative errno. */
int ftc_lifeline_guard(struct ftc_lifeline *life);

/* True once the thread that took the lock has ended: two loads. The word that the kernel and the C
 * library share, see set_robust_list(2), is the only way to look at a mutex without writing to it.
 * The lock was taken before the holder was named: a look that sees the one sees the other (acquire,
 * with the stores in lifeline.c).
 */
static inline bool ftc_hold_is_released(const struct ftc_hold *hold)
{
    int holder = atomic_load_explicit(&hold->holder, memory_order_acquire);

    return holder != 0 && (__atomic_load_n(&hold->mutex.__data.__lock, __ATOMIC_ACQUIRE) &
                           FUTEX_TID_MASK) != holder;
}

/* True once the monitor process has gone. */
static inline bool ftc_lifeline_is_unguarded(const struct ftc_lifeline *life)
{
    return ftc_hold_is_released(&life->monitor);
}

/* True as long as there is one. */
static inline bool ftc_lifeline_is_guarded(const struct ftc_lifeline *life)
{
    return atomic_load_explicit(&life->monitor.holder, memory_order_relaxed) != 0 &&
           !ftc_hold_is_released(&life->monitor);
}

/* Blocks until the monitor process, and then the rank's thread, are gone. The monitor process must
 * have taken its lock. */
void ftc_lifeline_await_both_ends(struct ftc_lifeline *life);

/* Lists the threads of process @pid, in the place of those that were listed before. */
void ftc_lifeline_list_threads(struct ftc_lifeline *life, pid_t pid);

/* Blocks until the thread that holds the lock is gone, by whatever cause, including exec. */
void ftc_lifeline_await_end(struct ftc_lifeline *life);

/* True for one caller once that thread is gone: one load as long as it is there. */
bool ftc_lifeline_found_ended(struct ftc_lifeline *life);

/* True if that thread, of process @pid, has been killed together with its process; then @status is
 * what waitpid will say. One look, that misses every other kind of end. Needs /proc. */
bool ftc_lifeline_was_killed(const struct ftc_lifeline *life, pid_t pid, int *status);

/* The same for every kind of end, with patience: up to a millisecond. */
bool ftc_lifeline_is_ending(const struct ftc_lifeline *life, pid_t pid, int *status);

/* Lets others go first while the kernel takes process @pid apart, which needs a core for one to
 * three milliseconds and does not look whether others want it. To lower a thread's priority makes
 * it look, each time: so that goes step by step, one in FTC_LIFELINE_STEP_NS, whoever calls and
 * however often. Only the threads that are listed. Needs no privilege. */
enum { FTC_LIFELINE_STEP_NS = 100000 };
void ftc_lifeline_give_way(struct ftc_lifeline *life, pid_t pid, uint64_t now_ns);

#endif
