/* leavable: a call of native MPI that can be left when it would wait for a dead rank for ever.
 *
 * The call runs on a stack of its own. While MPICH waits it polls its network by a function of
 * others, which the library stands before (mpi/polls.h); when a member has been dead for a while
 * and the call is still not through, control goes back to the caller from there, and never returns:
 * the call's stack, into which messages may still come, stays as it is.
 *
 * What is left behind in MPICH is one receive or send, and the mark that the first 64 of its
 * context ids are being given out (MPIR_Get_contextid_sparse_group): from then on it gives out the
 * others (mpi/inside.def, LEAVE). A rank that left a call that was about to do that must not make
 * communicators any more, because MPICH would wait for the end of that call. So one such call can
 * be left, as long as the first ids last.
 *
 * What MPICH calls back, an error handler of the program's for example, may leave the call as well,
 * by a jump or an exception to the caller's stack: it is over then.
 *
 * With MPI_THREAD_MULTIPLE, where MPICH has its lock when it polls, the call is left in the gap
 * behind (gap.h).
 *
 * With a device or version of MPICH for which this is not known the call just is not left. */
#ifndef FTC_NEW_COMMUNICATORS_LEAVABLE_H
#define FTC_NEW_COMMUNICATORS_LEAVABLE_H

#include <stdbool.h>
#include <stdint.h>

/* Calls @function with @argument. True when it has returned; false when it was left, because
 * @is_hopeless(@context) was true for a while. */
bool ftc_leavable_run(void (*function)(void *argument), void *argument,
                      bool (*is_hopeless)(void *context), void *context);

/* The same for a call on a file. With threads that is not left: MPI-IO (ROMIO) has a lock of its
 * own all the time. */
bool ftc_leavable_run_on_file(void (*function)(void *argument), void *argument,
                              bool (*is_hopeless)(void *context), void *context);

/* Whether a call that has become hopeless has gone on long enough: what the others have sent may
 * still bring it to its end. *@since_ns, 0 at first, is when it became so. */
bool ftc_leavable_has_had_time(uint64_t *since_ns);

/* Sets what else is to be done whenever MPICH polls. @function may call MPI, which then polls
 * within it. */
void ftc_leavable_set_beside(void (*function)(void));

/* To be called when MPICH polls: in all its waits. */
void ftc_leavable_poll(void);

/* Whether it is, after MPI_Init: else no call can be left. In all ranks the same, as what one does
 * the others wait for. */
bool ftc_leavable_is_polled(void);

/* To be called when UCX cannot send for MPICH, which would end the job for that: the memory of a
 * rank that dies is gone before anybody can know of its death. Leaves the call if that is what has
 * happened; else returns false after a second. With threads, where MPICH has its lock, it returns
 * true instead of leaving the call: that goes on as if the message were sent, and is left later. */
bool ftc_leavable_cannot_send(void);

#endif
