/* wire: what the proxies of MPICH's launcher, Hydra, send to mpiexec (doc/design.md, section 11).
 *
 * A proxy first says who it is, and then sends messages, each with a header. There are several
 * forms, told apart by how much mpiexec reads: first 4, 8 or 12 bytes, then 32 or 24 for each
 * header.
 *
 *     version          greeting                 header
 *     up to 4.0.2      proxy_id                 8 ints: cmd, buflen, pid, pmi_version, pgid,
 *                                               proxy_id, rank, signum
 *     4.0.3            "HYD\0", proxy_id        the same
 *     4.1.2            "HYD\0", proxy_id        24 bytes: cmd, buflen, pgid, proxy_id, a union of 8
 *                                               bytes
 *     4.2.3 and later  "HYD\0", pgid, proxy_id  the same 24 bytes
 *
 * Pure: it reads and makes bytes, and does not touch a socket. */
#ifndef FTC_MPIEXEC_WIRE_H
#define FTC_MPIEXEC_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FTC_WIRE_GREETING_MAX = 12,
    FTC_WIRE_HEADER_MAX = 32,
    FTC_WIRE_BODY_MAX = 1 << 24, /* of a message that says how long it is */
};

struct ftc_wire {
    size_t greeting_bytes, header_bytes; /* 0: not known yet */
    int32_t group, proxy;                /* once the greeting is read */
};

/* mpiexec asks for @bytes as the first of a connection, and of a header: false if no form that is
 * known has that. */
bool ftc_wire_expects_greeting(struct ftc_wire *w, size_t bytes);
bool ftc_wire_expects_header(struct ftc_wire *w, size_t bytes);

/* The greeting, all of it: false if it is none. */
bool ftc_wire_greet(struct ftc_wire *w, const unsigned char *greeting);

/* How much follows a header. */
enum ftc_wire_body {
    FTC_WIRE_UNKNOWN, /* no message that is known, or of processes that the program has started */
    FTC_WIRE_COUNTED, /* as many bytes as it says; may be 0 */
    FTC_WIRE_OF_EACH, /* 4 bytes for each process of the proxy, which mpiexec alone knows */
};
enum ftc_wire_body ftc_wire_read_header(const struct ftc_wire *w, const unsigned char *header,
                                        size_t *body_bytes);

/* The header of the message with which a proxy says how its processes have ended; returns its
 * length. A status of each follows, as of waitpid(). */
size_t ftc_wire_make_exit_header(const struct ftc_wire *w, unsigned char *header);

#endif
