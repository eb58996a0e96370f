/* idup: MPI_Comm_idup with setting communicators = survivors.
 *
 * The call waits for nobody, and is not over before its request is. So:
 *
 * 1. Native MPI's own MPI_Comm_idup makes the copy, on a detour (detour.h), unless this rank knows
 *    of a dead member. A rank that knows of one later, and cannot come through, gives it up.
 * 2. Whoever is through, or has given up, tells the others by a nonblocking operation of the
 *    library's own: who is dead, and whether it has the copy.
 * 3. If all have it, that is all. If not, the survivors make another one by
 *    MPI_Comm_create_group, on a detour too, and go back to 2. Of those of two groups they make an
 *    intercommunicator; with nobody left in one of them it is an error.
 *
 * 1 and 3 go on whenever MPICH polls, in whatever call of the program: a rank need not come to its
 * wait for the others to come through theirs.
 *
 * With MPI_THREAD_MULTIPLE whoever polls has MPICH's lock, so nothing pauses. There 1 is looked at
 * by MPI_Test, and given up by doing so no more; 3 is on a thread (aside.h). Both are looked at
 * by those who ask for a request, and by the library's own thread (progress/thread.h). */
#ifndef FTC_NEW_COMMUNICATORS_IDUP_H
#define FTC_NEW_COMMUNICATORS_IDUP_H

#include "creation.h"

/* Begins the call and leaves the return code in @x->result. *@x->newcomm is a handle at once, and
 * may become another one until *@request is complete. Returns false if native MPI is to do it:
 * without the setting, with arguments that it rejects, of a communicator without a lineage, or
 * where a call cannot go on beside others. */
bool ftc_idup(struct ftc_creation *x, MPI_Request *request);

#endif
