/* native_messages: the messages that a native call has under way with UCX, and how they end.
 *
 * A collective call of MPICH that gets an error for one receive goes on, tells the others, returns
 * an error code and gives back all that it holds. What it lacks when a rank dies is the error. So
 * the library stands before the functions by which MPICH receives and sends, notes what one call
 * posts, and ends that on demand: a receive with an error, a send as if it were through. Messages
 * of nonblocking collectives, which MPICH posts in whatever call it polls, are told apart by their
 * tags and stay. */
#ifndef FTC_NEW_COMMUNICATORS_NATIVE_MESSAGES_H
#define FTC_NEW_COMMUNICATORS_NATIVE_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of UCX (ucp/api/ucp.h), whose structure may go on behind this. */
struct ftc_ucx_options {
    uint32_t fields, flags;
    void *request;
    void (*callback)(void);
    uint64_t datatype;
    void *user_data, *reply_buffer;
    int memory_type;
    void *info;
};

/* An error of UCX is a small negative number in place of a request. */
enum { FTC_UCX_ERRORS = 100 };

typedef void *ftc_ucx_send(void *ep, const void *buffer, size_t bytes, uint64_t tag,
                           const struct ftc_ucx_options *options);

/* Returns whether messages can be noted and ended with this MPICH (mpi/inside.def, END). Only the
 * first call changes anything in MPICH: programs that make no communicators pay nothing. */
bool ftc_native_messages_can_end(void);

/* Notes what this thread posts under a new number, which it returns, until it leaves. */
uint64_t ftc_native_messages_begin(void);
void ftc_native_messages_leave(void);

/* Ends the pending receives of @number that belong to @worker. The thread polls @worker, so it has
 * MPICH's lock for that. Returns whether there were any. */
bool ftc_native_messages_end_receives(uint64_t number, void *worker);

/* Lets MPICH take the pending sends of @number for complete. The same holds for the lock. */
bool ftc_native_messages_end_sends(uint64_t number);

/* Sends by UCX's own function @native. */
void *ftc_native_messages_send(ftc_ucx_send *native, void *ep, const void *buffer, size_t bytes,
                               uint64_t tag, const struct ftc_ucx_options *options);

#endif
