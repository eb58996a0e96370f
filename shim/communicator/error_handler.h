/* error_handler: what becomes of an error on a communicator.
 *
 * In MPICH a communicator may have no error handler, like one that was made of a group, or copied
 * from MPI_COMM_WORLD before the program had set any. Its errors go to the handler of
 * MPI_COMM_WORLD, and since 4.2 to that of MPI_COMM_SELF first, if that has one. But asked for its
 * handler MPI says MPI_ERRORS_ARE_FATAL: so what the program has set is noted. */
#ifndef FTC_COMMUNICATOR_ERROR_HANDLER_H
#define FTC_COMMUNICATOR_ERROR_HANDLER_H

#include "mpi/mpi_library.h"

#include <stdbool.h>

/* The program has set @handler for @comm. */
void ftc_error_handler_note(MPI_Comm comm, MPI_Errhandler handler);

/* Whether MPI_ERRORS_ARE_FATAL is the handler of @comm itself. */
bool ftc_error_handler_is_fatal(MPI_Comm comm);

/* After a call that makes *@made of @parent with its error handler, and with the error code @rv,
 * which it returns. *@made may be MPI_COMM_NULL. */
int ftc_error_handler_from(MPI_Comm parent, const MPI_Comm *made, int rv);

/* That of a communicator itself, which may be gone when another one is to have it; to be dropped.
 * MPI_ERRHANDLER_NULL: it has none. */
MPI_Errhandler ftc_error_handler_take(MPI_Comm comm);
void ftc_error_handler_give(MPI_Errhandler taken, MPI_Comm made);
void ftc_error_handler_drop(MPI_Errhandler *taken);

/* While any of these is there, errors on a communicator return without a call of its handler. The
 * caller keeps it in memory, and leaves it zero until it is muted. */
struct ftc_muted {
    bool is_muted;
    MPI_Comm comm; /* the one whose handler is called for errors on it */
    MPI_Errhandler handler;
    struct ftc_muted *next;
};

/* Mutes @comm, also several times at once. */
void ftc_error_handler_mute(struct ftc_muted *m, MPI_Comm comm);

/* Gives the handler back to it, and to *@made, which MPI has made of @comm with its handler
 * meanwhile; @made may be NULL, and *@made MPI_COMM_NULL. */
void ftc_error_handler_unmute(struct ftc_muted *m, MPI_Comm comm, const MPI_Comm *made);

/* The one whose error handler is called for errors on @comm, and for those that are on none. */
MPI_Comm ftc_comm_of_errors(MPI_Comm comm);
MPI_Comm ftc_comm_of_other_errors(void);

/* False if the error handler in force ends the job: only a program that gets the code back can ask
 * for its text, or go on. */
bool ftc_comm_returns_errors(MPI_Comm comm);

#endif
