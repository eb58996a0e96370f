/* fabric: ordered bytes between processes by UCX, which knows networks that are faster than TCP
 * (InfiniBand, RoCE and such). Loaded at run time, and only where it is wanted.
 *
 * What UCX knows of a dead or unreachable process is no news here: a stream is an ornament of a
 * connection (connection.h) that works without it, and whatever is wrong with it, its owner goes
 * back to that. Nobody proves who he is to UCX itself; the owners of a stream do, by what goes
 * first on it (ftc_handshake_stream_tag()).
 *
 * Not thread-safe: the caller holds the library's lock. No call waits, but the first and the last.
 */
#ifndef FTC_NET_FABRIC_H
#define FTC_NET_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct ftc_fabric; /* this process's part of it */
struct ftc_stream; /* with one other process */

/* What an address has at most, in bytes. */
enum { FTC_FABRIC_ADDRESS_MAX = 2048 };

enum ftc_fabric_kind { FTC_FABRIC_ANY, FTC_FABRIC_BETTER_THAN_TCP };

/* NULL, with the reason in *@why, if there is none of @kind. */
struct ftc_fabric *ftc_fabric_open(enum ftc_fabric_kind kind, const char **why);

/* With all its streams, also those that were closed before; for at most a second. */
void ftc_fabric_close(struct ftc_fabric *f);

/* By which others reach this process. */
const void *ftc_fabric_address(const struct ftc_fabric *f, size_t *bytes);

/* Sends and receives what can be now. False: nothing has happened to any stream. */
bool ftc_fabric_progress(struct ftc_fabric *f);

/* To the process at @address, which is as ftc_fabric_address() has it there (UCX believes it), and
 * which does the same; NULL: there is no way. Each pair of processes
 * has one at most, ever: UCX tells those of a pair apart by how many there have been. */
struct ftc_stream *ftc_stream_open(struct ftc_fabric *f, const void *address);

/* What was written and is not out yet may be lost. NULL: nothing. */
void ftc_stream_close(struct ftc_stream *s);

/* As send() and recv() of a socket that does not wait: how many bytes, or -1 and EAGAIN, or
 * ECONNRESET when the stream is broken. What is received is all that has come, as far as there is
 * room. */
ssize_t ftc_stream_send(struct ftc_stream *s, const void *bytes, size_t count);
ssize_t ftc_stream_receive(struct ftc_stream *s, void *room, size_t count);

/* Whether all that was written has left this process, and that the stream is broken. */
bool ftc_stream_is_out(struct ftc_stream *s);
bool ftc_stream_is_broken(struct ftc_stream *s);

#endif
