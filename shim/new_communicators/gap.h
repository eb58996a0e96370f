/* gap: where a call of native MPI that waits holds nothing, with MPI_THREAD_MULTIPLE.
 *
 * Wherever MPICH polls it has its lock. It gives that up between two polls, and takes it again, by
 * pthread_mutex_unlock and pthread_mutex_lock; from the first time on that anybody waits for this,
 * libmpich's own calls of both come by here. If it makes none, or with a device of MPICH's that is
 * not at rest there (ch3), there is no gap, and nothing is done. */
#ifndef FTC_NEW_COMMUNICATORS_GAP_H
#define FTC_NEW_COMMUNICATORS_GAP_H

/* To be called by a thread at a poll: in the gap behind it, it does @then, again and again, until
 * that does not return or calls ftc_gap_forget(). */
void ftc_gap_await(void (*then)(void));

void ftc_gap_forget(void);

#endif
