/* native_yield: a rank that waits in native MPI yields its core (setting yield).
 *
 * MPICH polls without a pause. Where ranks share cores, the rank that the others wait for may get
 * no core until the kernel takes one from a polling rank, milliseconds later (measurements in
 * doc/performance.md). Ranks yield only with device ch4:ucx, because the other devices do not poll
 * by a function of UCX.
 *
 * With MPI_THREAD_MULTIPLE MPICH holds its lock while it polls, and releases it only for an instant
 * between two polls. If the rank yielded its core during the poll, a thread that waits for the lock
 * would never find it free. So the rank yields after it has released the lock. */
#ifndef FTC_PROGRAM_NATIVE_YIELD_H
#define FTC_PROGRAM_NATIVE_YIELD_H

#include <stdbool.h>

/* Decides whether this rank yields. To be called after the settings have been read and it is known
 * whether ranks share cores. From ftc_native_call_open() on it is known which thread waits.
 * @follow_locks is called with MPI_THREAD_MULTIPLE whenever a thread is about to yield. It returns
 * whether ftc_native_yield_unlocked() will be called from then on. If not, no thread yields. */
void ftc_native_yield_open(bool (*follow_locks)(void));

/* Returns whether this rank yields. */
bool ftc_native_yield_is_on(void);

/* Yields the core if the thread is in a native call that may wait, and not in one that only tests.
 * To be called when MPICH has polled and found nothing. */
void ftc_native_yield(void);

/* Yields the core if ftc_native_yield() has left that to this function. To be called when libmpich
 * has released a lock. */
void ftc_native_yield_unlocked(void);

#endif
