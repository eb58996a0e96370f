/* native_messages: the messages that a native call has under way with UCX, and how they end.
 *
 * If a collective call of MPICH gets an error for one receive, it continues, informs the others,
 * returns an error code and gives back all that it holds. When a rank dies, MPICH just lacks that
 * error. The library therefore interposes on the functions by which MPICH receives and sends, and
 * notes which messages one call posts. On demand it completes these: a receive with an error, a
 * send as if it were successful. MPICH posts messages of nonblocking collectives in any call that
 * polls. Their tags distinguish them, and they are not touched. */
#ifndef FTC_NEW_COMMUNICATORS_NATIVE_MESSAGES_H
#define FTC_NEW_COMMUNICATORS_NATIVE_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Beginning of UCX's ucp_request_param_t (ucp/api/ucp.h), which may have further fields. */
struct ftc_ucx_options {
    uint32_t fields, flags;
    void *request;
    void (*callback)(void);
    uint64_t datatype;
    void *user_data, *reply_buffer;
    int memory_type;
    void *info;
};

/* Number of UCX's error codes, which are small negative numbers in place of a request. */
enum { FTC_UCX_ERRORS = 100 };

typedef void *ftc_ucx_send(void *ep, const void *buffer, size_t bytes, uint64_t tag,
                           const struct ftc_ucx_options *options);

/* Returns whether messages can be noted and ended with this MPICH (mpi/inside.def, END). Only the
 * first call changes anything in MPICH, so programs that make no communicators pay nothing. */
bool ftc_native_messages_can_end(void);

/* Starts to note the messages that this thread posts, until it calls ftc_native_messages_leave().
 * Returns a new number for them. */
uint64_t ftc_native_messages_begin(void);
/* Stops noting messages of this thread. */
void ftc_native_messages_leave(void);

/* Ends the pending receives of @number that belong to @worker. Returns whether there were any.
 * Called while the thread polls @worker, so that it has MPICH's lock for that worker. */
bool ftc_native_messages_end_receives(uint64_t number, void *worker);

/* Completes the pending sends of @number for MPICH. Returns whether there were any. Called while
 * the thread polls, as above. */
bool ftc_native_messages_end_sends(uint64_t number);

/* Sends by UCX's own function @native, and notes the message if this thread's messages are
 * noted. */
void *ftc_native_messages_send(ftc_ucx_send *native, void *ep, const void *buffer, size_t bytes,
                               uint64_t tag, const struct ftc_ucx_options *options);

#endif
