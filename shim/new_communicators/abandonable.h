/* abandonable: native calls that return although they would wait for a dead rank forever.
 *
 * While MPICH waits, it polls its network by a function of another library, on which ftcoll
 * interposes (mpi/polls.h). If a member has been dead for a while and the call has not returned,
 * the call is ended or abandoned from there.
 *
 * Ended: the call's messages complete with errors (native_messages.h), so that MPICH returns an
 * error code and keeps nothing of the call, with threads as well. Any number of calls can be ended.
 *
 * Abandoned, where MPICH cannot be made to end the call (files, windows, other devices and
 * versions): the call runs on a stack of its own. Control returns to the caller, and the call is
 * never resumed. Its stack is leaked, because messages may still arrive there. MPICH keeps one
 * receive or send, and the mark that the first 64 of its context ids are being assigned
 * (MPIR_Get_contextid_sparse_group). From then on it assigns other ids (mpi/inside.def, ABANDON). A
 * rank can therefore abandon one call, provided that some of the first ids are still free then.
 * After a second one MPICH would wait for an abandoned call to end.
 *
 * With MPI_THREAD_MULTIPLE MPICH holds its lock wherever it polls. Between two polls it releases
 * and takes the lock, by pthread_mutex_unlock and pthread_mutex_lock. The call is abandoned in that
 * gap. libmpich's calls of both functions are redirected here from the first time that a call waits
 * for its gap, or that a rank that shares its core waits in MPI. No call is abandoned without a
 * gap, or with device ch3, where all other threads wait for the one that polls.
 *
 * With a device or version of MPICH for which none of this is known, the call just waits. */
#ifndef FTC_NEW_COMMUNICATORS_ABANDONABLE_H
#define FTC_NEW_COMMUNICATORS_ABANDONABLE_H

#include <mpi.h>
#include <stdbool.h>

enum ftc_abandonable_end {
    FTC_ABANDONABLE_OVER,
    FTC_ABANDONABLE_OVER_QUIETLY, /* errors, if any, were not raised */
    FTC_ABANDONABLE_ENDED,
    FTC_ABANDONABLE_ABANDONED
};

/* Runs @function with @argument, which makes a communicator from @parent by blocking collectives.
 * Returns how the call has ended: by itself, or because @is_hopeless(@context) was true for 0.1 s.
 * If the call can be ended and a rank is dead, MPI does not call the error handler of @parent
 * meanwhile. *@made then gets @parent's own handler; @made is NULL if it is not to inherit one. */
enum ftc_abandonable_end ftc_abandonable_make(void (*function)(void *argument), void *argument,
                                              bool (*is_hopeless)(void *context), void *context,
                                              MPI_Comm parent, const MPI_Comm *made);

/* Runs @function with @argument as above, for a call that can be abandoned but not ended. Returns
 * false if it was abandoned. */
bool ftc_abandonable_run(void (*function)(void *argument), void *argument,
                         bool (*is_hopeless)(void *context), void *context);

/* Runs @function with @argument as above, for a call on a file. With threads the call is not
 * abandoned, because MPI-IO (ROMIO) holds a lock of its own all the time. */
bool ftc_abandonable_run_on_file(void (*function)(void *argument), void *argument,
                                 bool (*is_hopeless)(void *context), void *context);

/* Ends or abandons the call of this thread if it has been hopeless long enough. Called whenever
 * MPICH polls, in all its waits. */
void ftc_abandonable_poll(void);
/* As above, but called when MPICH polls @worker of UCX. */
void ftc_abandonable_poll_worker(void *worker);

/* Interposes on libmpich's locks, once. Returns whether that is possible. From then on
 * ftc_native_yield_unlocked() is called. */
bool ftc_abandonable_follow_locks(void);

/* Returns whether MPICH calls ftc_abandonable_poll() or ftc_abandonable_poll_worker() when it
 * polls. Called after MPI_Init. If it does not, no call can be ended or abandoned. All ranks get
 * the same answer. If they did not, a rank that cannot leave a call would wait in it forever, and
 * the ranks that have left it would wait for that rank. */
bool ftc_abandonable_is_polled(void);

/* Returns whether UCX could not send a message for MPICH because a rank has died. Called in that
 * case, for which MPICH would end the job: the memory of a dying rank is gone before any rank can
 * know of its death. Waits up to 1 s until a death makes this thread's call hopeless. If it returns
 * true, the call goes on as if the message were sent, and is ended or abandoned later. */
bool ftc_abandonable_cannot_send(void);

#endif
