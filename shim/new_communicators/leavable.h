/* leavable: native calls that come back although they would wait for a dead rank for ever.
 *
 * While MPICH waits it polls its network by a function of others, which the library stands before
 * (mpi/polls.h). When a member has been dead for a while and the call is still not through, it is
 * ended or left from there.
 *
 * Ended: what it has under way completes with errors (native_messages.h), so that MPICH returns an
 * error code and keeps nothing of the call, with threads as well. Any number of calls can be.
 *
 * Left, where MPICH cannot be made to do so (files, windows, other devices and versions): the call
 * runs on a stack of its own. Control goes back to the caller, and never returns: the stack, into
 * which messages may still come, stays as it is. In MPICH one receive or send is left behind, and
 * the mark that the first 64 of its context ids are being given out
 * (MPIR_Get_contextid_sparse_group): from then on it gives out the others (mpi/inside.def, LEAVE).
 * So one call can be left, as long as the first ids last: after a second one MPICH would wait for
 * the end of the first.
 *
 * With MPI_THREAD_MULTIPLE MPICH has its lock wherever it polls. It gives that up between two
 * polls, and takes it again, by pthread_mutex_unlock and pthread_mutex_lock: in that gap the call
 * is left. From the first time on that a call waits for its gap, libmpich's own calls of both come
 * by here. Without a gap, or with a device of MPICH's that is not at rest there (ch3), nothing is
 * left.
 *
 * With a device or version of MPICH for which none of this is known the call just waits. */
#ifndef FTC_NEW_COMMUNICATORS_LEAVABLE_H
#define FTC_NEW_COMMUNICATORS_LEAVABLE_H

#include <mpi.h>
#include <stdbool.h>

enum ftc_leavable_end {
    FTC_LEAVABLE_OVER,
    FTC_LEAVABLE_OVER_QUIETLY, /* an error of it was not raised */
    FTC_LEAVABLE_ENDED,
    FTC_LEAVABLE_LEFT
};

/* Calls @function with @argument, which makes a communicator of @parent by blocking collectives,
 * and tells how it has come back: by itself, or because @is_hopeless(@context) was true for a
 * while. If it can be ended, and somebody is dead, MPI does not call the error handler of @parent
 * meanwhile;
 * *@made gets that handler if it was to inherit it (NULL: it was not). */
enum ftc_leavable_end ftc_leavable_make(void (*function)(void *argument), void *argument,
                                        bool (*is_hopeless)(void *context), void *context,
                                        MPI_Comm parent, const MPI_Comm *made);

/* Likewise a call that cannot be ended. False if it was left. */
bool ftc_leavable_run(void (*function)(void *argument), void *argument,
                      bool (*is_hopeless)(void *context), void *context);

/* Likewise a call on a file. With threads that is not left: MPI-IO (ROMIO) has a lock of its own
 * all the time. */
bool ftc_leavable_run_on_file(void (*function)(void *argument), void *argument,
                              bool (*is_hopeless)(void *context), void *context);

/* To be called when MPICH polls, in all its waits; of UCX it polls @worker. */
void ftc_leavable_poll(void);
void ftc_leavable_poll_worker(void *worker);

/* Whether it is, after MPI_Init: else no call comes back. In all ranks the same, as what one does
 * the others wait for. */
bool ftc_leavable_is_polled(void);

/* To be called when UCX cannot send for MPICH, which would end the job for that: the memory of a
 * rank that dies is gone before anybody can know of its death. Waits up to a second for the news,
 * and returns whether that is what has happened: then the call is to go on as if the message were
 * sent, and is ended or left later. */
bool ftc_leavable_cannot_send(void);

#endif
