/* error: reports failures that cannot be tolerated to the program.
 *
 * Functions below that return the code of an error also store the error for the call that this
 * thread is in. They may be called with the library's lock held. */
#ifndef FTC_PROGRAM_ERROR_H
#define FTC_PROGRAM_ERROR_H

#include "call/call.h"
#include "communicator/communicator.h"
#include "progress/loop.h"

/* Raises the error that this thread has stored for its call, if there is one. The caller must not
 * hold the library's lock, because the error handler is the program's and may call anything. */
void ftc_error_raise(const struct ftc_call *call);

/* As above, by the error handler of @file. */
void ftc_error_raise_on_file(const struct ftc_call *call, MPI_File file);

/* As above, by @handler. For a call that has an error handler as an argument and no communicator
 * yet. */
void ftc_error_raise_by(const struct ftc_call *call, MPI_Errhandler handler);

/* Removes the error from this thread and returns its class. Copies its text to @text, of
 * MPI_MAX_ERROR_STRING bytes. For an operation that is over before the program asks for it, so that
 * another thread can raise the error. */
int ftc_error_take(char *text);

/* Raises the error @text on @comm in a callback of the operation's request. Ends the job if an
 * error handler is fatal. The callback then returns @class to MPICH, which calls the error handler
 * of MPI_COMM_WORLD itself. */
void ftc_error_raise_in_request(MPI_Comm comm, int class, const char *text);

/* Returns the error of @call on @c, whose operation has ended with @outcome; MPI_SUCCESS if it has
 * a result. After more than f failures, returns an error of class MPIX_ERR_PROC_FAILED, or ends the
 * job with on_excess = abort. After a mismatch, returns an error of class MPI_ERR_OTHER that names
 * both calls. */
int ftc_error_of(const struct ftc_call *call, const struct ftc_comm *c,
                 enum ftc_loop_outcome outcome);

/* Copies to @text the text of the last error with @code that was raised here. @text has
 * MPI_MAX_ERROR_STRING bytes. Returns false if there was none. */
bool ftc_error_text(int code, char *text);

/* Returns an error of class MPIX_ERR_PROC_FAILED: the root is dead, and no rank has its data.
 * Returns MPI_SUCCESS with setting on_dead_root = keep. */
int ftc_error_dead_root(const struct ftc_call *call);

/* Returns an error of class MPI_ERR_TRUNCATE: rank @rank has sent @bytes bytes, but this rank has
 * room for @room. */
int ftc_error_truncated(const struct ftc_call *call, int rank, size_t bytes, size_t room);

/* Returns an error of class MPI_ERR_BUFFER: the attached buffer has no room for a message of @bytes
 * bytes. */
int ftc_error_no_room(const char *call_name, size_t bytes);

/* Errors whose text has no argument but the call. */
enum ftc_plain_error {
    FTC_ERROR_TOO_MUCH,    /* the ranks have sent more than the counts of the call allow */
    FTC_ERROR_REFUSED,     /* arguments of a rank need native MPI, for which it is too late */
    FTC_ERROR_DEAD_GROUP,  /* all ranks of one of two groups are dead */
    FTC_ERROR_DEAD_LEADER, /* a leader, by whom two groups learn of each other, is dead */
    FTC_ERROR_EXHAUSTED,   /* MPICH at a member can make no more communicators */
    FTC_ERROR_DEAD_OPENER, /* an opener of the file is dead, and native MPI would wait for it */
};

/* Returns an error of the class that belongs to @error. */
int ftc_error_plain(const struct ftc_call *call, enum ftc_plain_error error);

/* Returns an error of class MPIX_ERR_PROC_FAILED: the result lacks @missing of @of ranks, but
 * @setting requires all. */
int ftc_error_incomplete(const struct ftc_call *call, int missing, int of, const char *setting);

/* Returns an error of class MPI_ERR_REQUEST: a persistent request is started while its operation is
 * running. */
int ftc_error_active(const struct ftc_call *call);

/* Returns an error with the class of @code: native MPI has not made the communicator. It returned
 * @code without raising it. */
int ftc_error_native(const struct ftc_call *call, int code);

/* Returns an error of class MPIX_ERR_PROC_FAILED: the file's communicator is a copy, and one of its
 * members is dead. @says: also prints the text; true on one rank. */
int ftc_error_dead_counted(const struct ftc_call *call, bool says);

/* Returns an error of class MPIX_ERR_PROC_FAILED: the peer of a point-to-point call is dead. It is
 * @rank in the call's communicator and @world in MPI_COMM_WORLD. */
int ftc_error_dead_peer(const char *call_name, int rank, uint32_t world);

/* Returns MPI_ERR_IN_STATUS, and makes it the code of this thread's error: that error is in a
 * status. Keeps the text. */
int ftc_error_in_status(void);

/* Removes this thread's error without raising it. */
void ftc_error_drop(void);

/* As above, but keeps the text for MPI_Error_string(). For a call whose error handler native MPI
 * has already called for another error. */
void ftc_error_keep(void);

/* Returns an error of class MPI_ERR_NO_MEM. */
int ftc_error_no_memory(void);

/* As above, for a persistent request: there is no memory for it, or no entry on the board. */
int ftc_error_no_place(void);

/* As above, for the copies that a rank needs for large data, of which setting large_memory allows
 * @mebibytes MiB. */
int ftc_error_large_memory(const struct ftc_call *call, int mebibytes);

/* As above, because a rank is in more than @most large calls at once. */
int ftc_error_too_many(const struct ftc_call *call, int most);

#endif
