/* native_yield: a rank that waits in native MPI gives its core away (setting yield).
 *
 * MPICH polls without a pause. Where ranks share cores, the rank that the others wait for may get
 * no core until the kernel takes one from a rank that polls, milliseconds later. Measured in
 * doc/performance.md. With device ch4:ucx only: the others do not poll by a function of UCX.
 *
 * With MPI_THREAD_MULTIPLE MPICH has its lock while it polls, and releases it only for an instant
 * between two polls. A thread that waits for the lock would never find it free if the rank gave its
 * core away during the poll. So the rank does that when it has released the lock. */
#ifndef FTC_PROGRAM_NATIVE_YIELD_H
#define FTC_PROGRAM_NATIVE_YIELD_H

#include <stdbool.h>

/* Decides whether this rank yields. To be called when the settings are read and it is known
 * whether ranks share cores. Which thread waits is known from ftc_native_call_open() on.
 * @follow_locks is called at most once, with MPI_THREAD_MULTIPLE. It returns whether
 * ftc_native_yield_unlocked() is called from then on. If not, no thread yields. */
void ftc_native_yield_open(bool (*follow_locks)(void));

/* Returns whether this rank yields. */
bool ftc_native_yield_is_on(void);

/* Gives the core away if the thread is in a native call that may wait, and not in one that only
 * looks. To be called when MPICH has polled and found nothing. */
void ftc_native_yield(void);

/* To be called when libmpich has released a lock. */
void ftc_native_yield_unlocked(void);

#endif
