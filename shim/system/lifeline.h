/* lifeline: early news of a process's death.
 *
 * The kernel reports the end of a process to its parent only after it has released the process's
 * memory and all its threads have run once more. That takes milliseconds for a small MPI process,
 * and seconds for one of many gigabytes. But robust mutexes are released earlier, at the beginning
 * of a thread's exit. The rank locks one on the board and never unlocks it.
 *
 * A process that finds it released asks the kernel whether the whole process is ending. Two kinds
 * of processes do so: the rank's monitor process, in a thread that waits for the lock, and the
 * ranks that wait for a message. The ranks are running, while the monitor process must first get a
 * core. It competes with its own dying rank for it, because the scheduler treats the two as one
 * group and charges both for the time that either has used.
 *
 * The news is only early: without it the end of the process itself gives the same information. But
 * only the monitor process gets that, and it may be killed first. So the monitor process holds a
 * lock, too. The other monitor processes wait for it, and the rank checks whether it is still
 * held. */
#ifndef FTC_SYSTEM_LIFELINE_H
#define FTC_SYSTEM_LIFELINE_H

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { FTC_LIFELINE_THREADS = 64 };

/* Lock that a thread holds until its end. */
struct ftc_hold {
    pthread_mutex_t mutex;
    _Atomic int holder; /* thread that holds it; 0: none yet */
};

struct ftc_lifeline {
    struct ftc_hold rank, monitor;
    _Atomic bool left_alone;      /* the rank's end is that of the job, and no death to find */
    _Atomic bool examined;        /* another rank has found the rank's lock released */
    _Atomic uint64_t gave_way_ns; /* time of the last step, by CLOCK_MONOTONIC */
    _Atomic int32_t thread[FTC_LIFELINE_THREADS]; /* of the rank, as far as known, then 0 */
};

/* Makes a lock that one thread after the other holds. Returns 0 or a negative errno. */
int ftc_hold_make(struct ftc_hold *hold);

/* Takes the lock for the calling thread. First waits until a thread that holds it has ended. */
void ftc_hold_take_over(struct ftc_hold *hold);

/* Makes the rank's lock and takes it for the calling thread, which holds it until its end. Lists
 * the threads of this process. Returns 0 or a negative errno. */
int ftc_lifeline_begin(struct ftc_lifeline *life);

/* Makes the monitor process's lock and takes it for the calling thread, which holds it until its
 * end. Returns 0 or a negative errno. */
int ftc_lifeline_guard(struct ftc_lifeline *life);

/* Returns whether the thread that took the lock has ended, by two loads; false if no thread has
 * taken it yet. A mutex can be read without a write only by the word that the kernel and the C
 * library share (set_robust_list(2)). The lock is taken before the holder is stored, so a reader
 * that sees the holder sees the lock too (acquire, with the stores in lifeline.c). */
static inline bool ftc_hold_is_released(const struct ftc_hold *hold)
{
    int holder = atomic_load_explicit(&hold->holder, memory_order_acquire);

    return holder != 0 && (__atomic_load_n(&hold->mutex.__data.__lock, __ATOMIC_ACQUIRE) &
                           FUTEX_TID_MASK) != holder;
}

/* Returns whether the monitor process has ended. */
static inline bool ftc_lifeline_is_unguarded(const struct ftc_lifeline *life)
{
    return ftc_hold_is_released(&life->monitor);
}

/* Returns whether the monitor process exists. */
static inline bool ftc_lifeline_is_guarded(const struct ftc_lifeline *life)
{
    return atomic_load_explicit(&life->monitor.holder, memory_order_relaxed) != 0 &&
           !ftc_hold_is_released(&life->monitor);
}

/* Blocks until the monitor process and then the rank's thread have ended. The monitor process must
 * have taken its lock. */
void ftc_lifeline_await_both_ends(struct ftc_lifeline *life);

/* Lists the threads of process @pid, in place of those listed before. */
void ftc_lifeline_list_threads(struct ftc_lifeline *life, pid_t pid);

/* Blocks until the thread that holds the rank's lock has ended, for whatever reason, including
 * exec. */
void ftc_lifeline_await_end(struct ftc_lifeline *life);

/* Returns true to one caller after that thread has ended, unless the rank is left alone. While the
 * thread lives, this takes two loads. */
bool ftc_lifeline_found_ended(struct ftc_lifeline *life);

/* Returns whether that thread, of process @pid, was killed together with its process. Then *@status
 * is what waitpid() will report. Checks only once, and misses every other kind of end. Needs
 * /proc. */
bool ftc_lifeline_was_killed(const struct ftc_lifeline *life, pid_t pid, int *status);

/* As above, for every kind of end. Checks for up to a millisecond. */
bool ftc_lifeline_is_ending(const struct ftc_lifeline *life, pid_t pid, int *status);

/* Shortest time between two steps in which ftc_lifeline_give_way() lowers priorities. */
enum { FTC_LIFELINE_STEP_NS = 100000 };

/* Lets other processes run first while the kernel takes process @pid apart. That needs a core for
 * one to three milliseconds, without checking whether other processes want it. Lowering a thread's
 * priority makes the kernel check each time. The priority is therefore lowered in steps, at most
 * one in FTC_LIFELINE_STEP_NS, however many processes call this. @now_ns is CLOCK_MONOTONIC.
 * Affects listed threads only. Needs no privilege. */
void ftc_lifeline_give_way(struct ftc_lifeline *life, pid_t pid, uint64_t now_ns);

#endif
