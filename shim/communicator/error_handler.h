/* error_handler: the error handler that is called for an error on a communicator.
 *
 * In MPICH a communicator may have no error handler of its own, for instance if it was made from a
 * group, or copied from MPI_COMM_WORLD before the program had set any. Its errors go to the handler
 * of MPI_COMM_WORLD; from 4.2 on they go to that of MPI_COMM_SELF first, if it has one. But MPI
 * reports MPI_ERRORS_ARE_FATAL as the handler of such a communicator. The library therefore notes
 * for which communicators the program has set MPI_ERRORS_ARE_FATAL. */
#ifndef FTC_COMMUNICATOR_ERROR_HANDLER_H
#define FTC_COMMUNICATOR_ERROR_HANDLER_H

#include "mpi/mpi_library.h"

#include <stdbool.h>

/* Notes that the program has set @handler for @comm. */
void ftc_error_handler_note(MPI_Comm comm, MPI_Errhandler handler);

/* Returns whether @comm has MPI_ERRORS_ARE_FATAL as a handler of its own. */
bool ftc_error_handler_is_fatal(MPI_Comm comm);

/* Notes that *@made has inherited the error handler of @parent. Called after a call that has made
 * *@made with the error code @rv. *@made may be MPI_COMM_NULL. Returns @rv. */
int ftc_error_handler_from(MPI_Comm parent, const MPI_Comm *made, int rv);

/* Returns the error handler of @comm itself, so that another communicator can get it after @comm is
 * freed. Returns MPI_ERRHANDLER_NULL if @comm has none. The caller drops it. */
MPI_Errhandler ftc_error_handler_take(MPI_Comm comm);
/* Sets @taken as the error handler of @made. MPI_ERRHANDLER_NULL changes nothing. */
void ftc_error_handler_give(MPI_Errhandler taken, MPI_Comm made);
/* Frees the reference *@taken, which may be MPI_ERRHANDLER_NULL. */
void ftc_error_handler_drop(MPI_Errhandler *taken);

/* Record of one muting. While a communicator has such a record, errors on it return without a call
 * of its handler. The caller owns the memory, and sets it to zero at first, so that
 * ftc_error_handler_unmute() does nothing if the communicator was not muted. */
struct ftc_muted {
    bool is_muted;
    MPI_Comm comm; /* communicator whose handler is called for these errors */
    MPI_Errhandler handler;
    struct ftc_muted *next;
};

/* Mutes @comm. It may be muted already, with another record. */
void ftc_error_handler_mute(struct ftc_muted *m, MPI_Comm comm);

/* Removes @m, and restores the handler unless another record still mutes it. Gives the handler also
 * to *@made, a communicator that MPI has made from @comm meanwhile and that inherits @comm's own
 * handler. @made may be NULL, and *@made MPI_COMM_NULL. Does nothing if @m is not muted. */
void ftc_error_handler_unmute(struct ftc_muted *m, MPI_Comm comm, const MPI_Comm *made);

/* Returns the communicator whose error handler is called for errors on @comm. */
MPI_Comm ftc_comm_of_errors(MPI_Comm comm);
/* Returns the communicator whose error handler is called for errors that belong to no
 * communicator. */
MPI_Comm ftc_comm_of_other_errors(void);

/* Returns whether errors on @comm return to the program. If not, the error handler in force ends
 * the job, and the program can neither ask for the error's text nor go on. */
bool ftc_comm_returns_errors(MPI_Comm comm);

#endif
