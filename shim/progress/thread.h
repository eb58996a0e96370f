/* thread: a thread that advances nonblocking operations while the program does not.
 *
 * MPI requires this. Rank 0 may call MPI_Iallreduce, MPI_Recv from rank 1 and MPI_Wait while rank 1
 * calls MPI_Iallreduce, MPI_Wait and MPI_Send to rank 0. Then the operation must complete although
 * rank 0 is in a call of native MPI. The thread advances the operations after about 1 ms
 * (NAP_MAX_NS) without a call of the program. It sleeps otherwise and makes no MPI call. It runs
 * only if setting intercept names a nonblocking call. */
#ifndef FTC_PROGRESS_THREAD_H
#define FTC_PROGRESS_THREAD_H

#include <stdbool.h>

/* Starts the thread in MPI_Init. It sleeps until the first ftc_thread_wake(), from which on all
 * calls hold the library's lock. Returns 0 or a negative errno. */
int ftc_thread_open(void);

/* Ends the thread in MPI_Finalize. The caller must not hold the library's lock. */
void ftc_thread_close(void);

/* Wakes the thread, because there is an operation to advance. The caller holds the library's lock.
 * If the mutex is not in use yet, locks it on behalf of the caller, which unlocks it by
 * ftc_library_unlock(). */
void ftc_thread_wake(void);

/* Notes that the program advances the operations itself at present. The caller holds the library's
 * lock. */
void ftc_thread_see_program(void);

#endif
