/* context: context ids, by which MPICH distinguishes the messages of communicators.
 *
 * A native call that was ended or abandoned (abandonable.h) leaves receives and messages behind, on
 * this rank and with the context id of its communicator. After that communicator is freed, MPICH
 * gives the id to a new one, whose messages would match what was left. This rank therefore takes
 * the id itself, for a communicator of its own that it never uses. New communicators get ids that
 * are free on all their ranks.
 *
 * MPI does not report which id a communicator has. But if this rank holds all other ids that are
 * free, the one that it can get after the communicator is freed is that communicator's. */
#ifndef FTC_NEW_COMMUNICATORS_CONTEXT_H
#define FTC_NEW_COMMUNICATORS_CONTEXT_H

#include <mpi.h>
#include <stdbool.h>

/* Makes the communicator of this process from which ids are taken. Called in MPI_Init. Returns 0 or
 * a negative errno. */
int ftc_context_open(void);

/* Notes that a call on @comm was ended or abandoned on some rank. */
void ftc_context_abandon(MPI_Comm comm);

/* Returns whether a call on *@comm was ended or abandoned. @comm may be any argument that a program
 * passes to MPI_Comm_free(). */
bool ftc_context_is_abandoned(const MPI_Comm *comm);

/* Frees *@comm by @native, and keeps its context id from all new communicators of this rank.
 * Returns the error code of @native. Takes some milliseconds. Must not be called with
 * MPI_THREAD_MULTIPLE, because other threads could make no communicator meanwhile, nor on a rank
 * that cannot make communicators any more. */
int ftc_context_retire(MPI_Comm *comm, int (*native)(MPI_Comm *comm), const void *return_address);

#endif
