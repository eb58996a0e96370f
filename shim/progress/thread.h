/* thread: a thread that goes on with nonblocking operations while the program does not look at
 * them.
 *
 * MPI wants it so: with rank 0 in MPI_Iallreduce, MPI_Recv from 1, MPI_Wait, and rank 1 in
 * MPI_Iallreduce, MPI_Wait, MPI_Send to 0, the operation must end although rank 0 sits in a call of
 * native MPI. The thread looks after at most NAP_MAX_NS of the program's silence; it sleeps
 * otherwise, and makes no MPI call. It runs only if setting intercept names a nonblocking call.
 */
#ifndef FTC_PROGRESS_THREAD_H
#define FTC_PROGRESS_THREAD_H

#include <stdbool.h>

/* In MPI_Init. It sleeps until it is woken, from when on all calls hold the library's lock. 0 or a
 * negative errno. */
int ftc_thread_open(void);

/* In MPI_Finalize, without the lock. */
void ftc_thread_close(void);

/* There is an operation to go on with; with the lock held, as the next. The first time it is taken
 * here, in the place of who thought to hold it, and is given up where that does. */
void ftc_thread_wake(void);

/* The program looks after the operations itself at present. */
void ftc_thread_see_program(void);

#endif
