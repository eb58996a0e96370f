/* thread: a thread that goes on with nonblocking operations while the program does not look at
 * them.
 *
 * MPI wants it so: with rank 0 in MPI_Iallreduce, MPI_Recv from 1, MPI_Wait, and rank 1 in
 * MPI_Iallreduce, MPI_Wait, MPI_Send to 0, the operation must end although rank 0 sits in a call of
 * native MPI. The thread looks after at most NAP_MAX_NS of the program's silence; it sleeps
 * otherwise, and makes no MPI call but those of what is done beside. It runs only if setting
 * intercept names a nonblocking call, or with communicators = survivors.
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

/* Sets what else is to be done, with MPI_THREAD_MULTIPLE, by this thread and by those that wait for
 * a request. @beside is called without the lock, may call MPI, and returns whether there is more to
 * do. */
void ftc_thread_set_beside(bool (*beside)(void));

/* Does that, if anything is set: the caller has not the lock, or gives it up meanwhile. */
bool ftc_thread_look_beside(void);
bool ftc_thread_look_beside_unlocked(void);

/* The program looks after the operations itself at present. */
void ftc_thread_see_program(void);

#endif
