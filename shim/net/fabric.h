/* fabric: ordered bytes between processes by UCX, which supports networks that are faster than TCP
 * (InfiniBand, RoCE and others). UCX is loaded at run time, and only if the settings want it.
 *
 * An error of UCX is no evidence that a process is dead or unreachable. A stream supplements a
 * connection (connection.h), which works without it. After any error the stream's owner goes back
 * to the connection. UCX does not authenticate processes. The owners of a stream do so by the first
 * bytes that they send (ftc_handshake_stream_tag()).
 *
 * Not thread-safe: the caller holds the library's lock. Only ftc_fabric_open() and
 * ftc_fabric_close() wait. */
#ifndef FTC_NET_FABRIC_H
#define FTC_NET_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct ftc_fabric; /* UCX context and worker of this process */
struct ftc_stream; /* bytes to and from one other process */

/* Maximum size of an address, in bytes. */
enum { FTC_FABRIC_ADDRESS_MAX = 2048 };

enum ftc_fabric_kind { FTC_FABRIC_ANY, FTC_FABRIC_BETTER_THAN_TCP };

/* Opens a fabric of @kind. Returns NULL, with the reason in *@why, if there is none. */
struct ftc_fabric *ftc_fabric_open(enum ftc_fabric_kind kind, const char **why);

/* Closes @f and all its streams, also those that were closed before. Waits at most a second. NULL:
 * no effect. */
void ftc_fabric_close(struct ftc_fabric *f);

/* Returns the address by which other processes reach this one, and its size. */
const void *ftc_fabric_address(const struct ftc_fabric *f, size_t *bytes);

/* Sends and receives what is possible now. Returns false if nothing has happened to any stream. */
bool ftc_fabric_progress(struct ftc_fabric *f);

/* Opens a stream to the process at @address, which must be what ftc_fabric_address() returns there,
 * because UCX trusts it. That process has to open a stream to this one. Returns NULL if UCX finds
 * no way, or without memory. A pair of processes may open only one stream ever, because UCX
 * distinguishes the streams of a pair by their count. */
struct ftc_stream *ftc_stream_open(struct ftc_fabric *f, const void *address);

/* Closes a stream. Written data that have not left this process may be lost. NULL: no effect. */
void ftc_stream_close(struct ftc_stream *s);

/* Sends as send() on a nonblocking socket does. Returns the number of bytes, or -1 with errno
 * EAGAIN, or ECONNRESET if the stream is broken. */
ssize_t ftc_stream_send(struct ftc_stream *s, const void *bytes, size_t count);

/* As above, but receives all that has arrived, up to @count bytes. */
ssize_t ftc_stream_receive(struct ftc_stream *s, void *room, size_t count);

/* Returns whether all written data have left this process. */
bool ftc_stream_is_out(struct ftc_stream *s);

/* Returns whether UCX has reported an error for the stream, or the stream is closed. */
bool ftc_stream_is_broken(struct ftc_stream *s);

#endif
