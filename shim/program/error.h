/* error: how failures that cannot be tolerated reach the program. */
#ifndef FTC_PROGRAM_ERROR_H
#define FTC_PROGRAM_ERROR_H

#include "call/call.h"
#include "communicator/communicator.h"
#include "progress/loop.h"

/* Raises the error that a function below has made for the call that this thread is in, if there is
 * one. To be called without the library's lock: the error handler is the program's, and may call
 * anything. The functions below return the error's code, and may be called with the lock. */
void ftc_error_raise(const struct ftc_call *call);

/* Raises this thread's error by the error handler of @file. */
void ftc_error_raise_on_file(const struct ftc_call *call, MPI_File file);

/* Raises this thread's error by @handler, for a call that is given a handler and has no
 * communicator yet. */
void ftc_error_raise_by(const struct ftc_call *call, MPI_Errhandler handler);

/* Takes its error from this thread, with @text of MPI_MAX_ERROR_STRING bytes, for an operation
 * that is over before the program asks for it, and gives it to the thread that raises it. */
int ftc_error_take(char *text);

/* Raises the error @text in a callback of the operation's request. The callback then gives @class
 * to MPICH, which calls the error handler of MPI_COMM_WORLD itself. */
void ftc_error_raise_in_request(MPI_Comm comm, int class, const char *text);

/* Returns the error of the operation of @call on @c, which has ended with @outcome; MPI_SUCCESS if
 * it has a result. More than f failures: class MPIX_ERR_PROC_FAILED, or the end of the job with
 * on_excess = abort. c->running->mismatched has called something else: class MPI_ERR_OTHER, naming
 * both calls. */
int ftc_error_of(const struct ftc_call *call, const struct ftc_comm *c,
                 enum ftc_loop_outcome outcome);

/* Copies the text of the last error with @code that was raised here to @text, of
 * MPI_MAX_ERROR_STRING bytes. False if there was none. */
bool ftc_error_text(int code, char *text);

/* The root is dead, and nobody has its data: class MPIX_ERR_PROC_FAILED; MPI_SUCCESS with setting
 * on_dead_root = keep. */
int ftc_error_dead_root(const struct ftc_call *call);

/* Rank @rank has sent @bytes where this one has room for fewer: class MPI_ERR_TRUNCATE. */
int ftc_error_truncated(const struct ftc_call *call, int rank, size_t bytes, size_t room);

/* The program's buffer has no room for a message: class MPI_ERR_BUFFER. */
int ftc_error_no_room(const char *call_name, size_t bytes);

/* Errors that name nothing but the call. */
enum ftc_plain_error {
    FTC_ERROR_TOO_MUCH, /* the ranks have sent more than the counts of the call say */
    FTC_ERROR_REFUSED,  /* arguments of a rank are for native MPI alone, for which it is too late */
    FTC_ERROR_DEAD_GROUP,  /* one of two groups has no rank left */
    FTC_ERROR_DEAD_LEADER, /* of this group or the other: by them groups learn of each other */
    FTC_ERROR_EXHAUSTED,   /* MPICH at a member cannot make communicators any more */
    FTC_ERROR_DEAD_OPENER, /* of a file that native MPI would wait for */
};
int ftc_error_plain(const struct ftc_call *call, enum ftc_plain_error error);

/* A result lacks @missing ranks of @of, and @setting wants all in it: class MPIX_ERR_PROC_FAILED.
 */
int ftc_error_incomplete(const struct ftc_call *call, int missing, int of, const char *setting);

/* A persistent request is started whose operation goes on: class MPI_ERR_REQUEST. */
int ftc_error_active(const struct ftc_call *call);

/* Native MPI has refused to make a communicator, with the error code @code, which it has not
 * raised. */
int ftc_error_native(const struct ftc_call *call, int code);

/* A file belongs to a copy of a communicator, a member of which is dead: class
 * MPIX_ERR_PROC_FAILED.
 * @says: also as a line, on one rank. */
int ftc_error_dead_counted(const struct ftc_call *call, bool says);

/* The peer of a point-to-point call, @rank in the call's communicator, is dead: class
 * MPIX_ERR_PROC_FAILED. */
int ftc_error_dead_peer(const char *call_name, int rank, uint32_t world);

/* The error that was made last is in a status: its text stays, the code is MPI_ERR_IN_STATUS. */
int ftc_error_in_status(void);

/* The error that was made last is not raised. With ftc_error_keep() its text stays: the error
 * handler has been called for another one of the same call, and what failed is in a status. */
void ftc_error_drop(void);
void ftc_error_keep(void);

/* Class MPI_ERR_NO_MEM. */
int ftc_error_no_memory(void);

/* As above, of a persistent request: for want of memory, or of a place for it. */
int ftc_error_no_place(void);

/* As above, for the copies that a rank needs for large data: setting large_memory allows so many.
 */
int ftc_error_large_memory(const struct ftc_call *call, int mebibytes);

/* As above: a rank is in more than @most large calls at once. */
int ftc_error_too_many(const struct ftc_call *call, int most);

#endif
