/* context: the numbers by which MPICH tells the messages of communicators apart.
 *
 * A native call that was ended or abandoned (abandonable.h) leaves receives and messages behind, on
 * this rank and under the number of its communicator. When that is freed MPICH gives the number to
 * the next one, whose messages would meet them. So this rank then takes the number itself, for a
 * communicator of its own that it never uses: new communicators get numbers that are free on all
 * their ranks.
 *
 * Nothing tells which number it is. But while this rank holds all others that are free, the one
 * that can be had after the communicator is freed is it. */
#ifndef FTC_NEW_COMMUNICATORS_CONTEXT_H
#define FTC_NEW_COMMUNICATORS_CONTEXT_H

#include <mpi.h>
#include <stdbool.h>

/* In MPI_Init; 0 or a negative errno. */
int ftc_context_open(void);

/* A call on @comm was ended or abandoned on some rank. */
void ftc_context_abandon(MPI_Comm comm);

/* Whether calls on *@comm were; @comm may be whatever a program passes to MPI_Comm_free(). */
bool ftc_context_is_abandoned(const MPI_Comm *comm);

/* Frees *@comm by @native, and keeps its number from all new communicators of this rank; returns
 * the error code of @native. Takes some milliseconds. Not with MPI_THREAD_MULTIPLE, as others could
 * make no communicator meanwhile, and not for a rank that cannot make communicators
 * any more. */
int ftc_context_retire(MPI_Comm *comm, int (*native)(MPI_Comm *comm), const void *return_address);

#endif
