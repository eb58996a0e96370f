/* abandonable: native calls that return although they would wait for a dead rank forever.
 *
 * While MPICH waits it polls its network by a function of another library, on which this one
 * interposes (mpi/polls.h). If a member has been dead for a while and the call has not returned,
 * the call is ended or abandoned from there.
 *
 * Ended: its messages complete with errors (native_messages.h), so that MPICH returns an error code
 * and keeps nothing of the call, with threads as well. Any number of calls can be ended.
 *
 * Abandoned, where MPICH cannot be made to end it (files, windows, other devices and versions): the
 * call runs on a stack of its own. Control goes back to the caller, and the call is never resumed.
 * Its stack is leaked, because messages may still come there. In MPICH one receive or send remains,
 * and the mark that the first 64 of its context ids are being given out
 * (MPIR_Get_contextid_sparse_group): from then on it gives out the others (mpi/inside.def,
 * ABANDON). So one call can be abandoned, as long as the first ids last: after a second one MPICH
 * would wait for the end of the first.
 *
 * With MPI_THREAD_MULTIPLE MPICH has its lock wherever it polls. It releases and takes the lock
 * between two polls, by pthread_mutex_unlock and pthread_mutex_lock: in that gap the call is
 * abandoned. From the first time that a call waits for its gap, or that a rank which shares its
 * core waits in MPI, libmpich's calls of both functions are redirected here. Without a gap, or with
 * a device of MPICH's that is not at rest there (ch3), no call is abandoned.
 *
 * With a device or version of MPICH for which none of this is known the call just waits. */
#ifndef FTC_NEW_COMMUNICATORS_ABANDONABLE_H
#define FTC_NEW_COMMUNICATORS_ABANDONABLE_H

#include <mpi.h>
#include <stdbool.h>

enum ftc_abandonable_end {
    FTC_ABANDONABLE_OVER,
    FTC_ABANDONABLE_OVER_QUIETLY, /* an error of it was not raised */
    FTC_ABANDONABLE_ENDED,
    FTC_ABANDONABLE_ABANDONED
};

/* Calls @function with @argument, which makes a communicator of @parent by blocking collectives.
 * Returns how it has come back: by itself, or because @is_hopeless(@context) was true for a while.
 * If it can be ended, and a rank is dead, MPI does not call the error handler of @parent meanwhile;
 * *@made gets that handler if it was to inherit it (NULL: it was not). */
enum ftc_abandonable_end ftc_abandonable_make(void (*function)(void *argument), void *argument,
                                              bool (*is_hopeless)(void *context), void *context,
                                              MPI_Comm parent, const MPI_Comm *made);

/* Likewise for a call that cannot be ended. Returns false if it was abandoned. */
bool ftc_abandonable_run(void (*function)(void *argument), void *argument,
                         bool (*is_hopeless)(void *context), void *context);

/* Likewise for a call on a file. With threads it is not abandoned: MPI-IO (ROMIO) has a lock of its
 * own all the time. */
bool ftc_abandonable_run_on_file(void (*function)(void *argument), void *argument,
                                 bool (*is_hopeless)(void *context), void *context);

/* To be called when MPICH polls, in all its waits; of UCX it polls @worker. */
void ftc_abandonable_poll(void);
void ftc_abandonable_poll_worker(void *worker);

/* Interposes on libmpich's locks, once; returns whether that is possible. From then on
 * ftc_native_yield_unlocked() is called. */
bool ftc_abandonable_follow_locks(void);

/* Returns whether MPICH polls so, after MPI_Init. If it does not, no call can be abandoned. All
 * ranks get the same answer, because each waits for what the others do. */
bool ftc_abandonable_is_polled(void);

/* To be called when UCX cannot send for MPICH, which would end the job for that: the memory of a
 * rank that dies is gone before anybody can know of its death. Waits up to a second for the news,
 * and returns whether that is what has happened: then the call is to go on as if the message were
 * sent, and is ended or abandoned later. */
bool ftc_abandonable_cannot_send(void);

#endif
