/* wire: what the proxies of MPICH's launcher, Hydra, send to mpiexec (doc/design.md, section 11).
 *
 * A proxy first sends a greeting, then messages, each with a header. Versions of Hydra differ in
 * how many bytes mpiexec reads: 4, 8 or 12 for the greeting, and 32 or 24 for each header.
 *
 *     version          greeting                 header
 *     up to 4.0.2      proxy_id                 8 ints: cmd, buflen, pid, pmi_version, pgid,
 *                                               proxy_id, rank, signum
 *     4.0.3            "HYD\0", proxy_id        the same 8 ints
 *     4.1.2            "HYD\0", proxy_id        24 bytes: cmd, buflen, pgid, proxy_id, a union of 8
 *                                               bytes
 *     4.2.3 and later  "HYD\0", pgid, proxy_id  the same 24 bytes
 *
 * These functions only read and make bytes. They use no socket. */
#ifndef FTC_MPIEXEC_WIRE_H
#define FTC_MPIEXEC_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FTC_WIRE_GREETING_MAX = 12,
    FTC_WIRE_HEADER_MAX = 32,
    FTC_WIRE_BODY_MAX = 1 << 24, /* largest body of a message that has a length */
};

struct ftc_wire {
    size_t greeting_bytes, header_bytes; /* 0: not known yet */
    int32_t group, proxy;                /* valid after the greeting was read */
};

/* Notes that mpiexec asks for @bytes: first on a connection, or for a header. Returns false if no
 * known form has that size. */
bool ftc_wire_expects_greeting(struct ftc_wire *w, size_t bytes);
bool ftc_wire_expects_header(struct ftc_wire *w, size_t bytes);

/* Reads the whole @greeting. Returns false if it is not valid. */
bool ftc_wire_greet(struct ftc_wire *w, const unsigned char *greeting);

/* Kinds of what follows a header. */
enum ftc_wire_body {
    FTC_WIRE_UNKNOWN, /* unknown message, or one about processes that the program has started */
    FTC_WIRE_COUNTED, /* as many bytes as the header states; may be 0 */
    FTC_WIRE_OF_EACH, /* 4 bytes for each process of the proxy; only mpiexec knows their number */
};
enum ftc_wire_body ftc_wire_read_header(const struct ftc_wire *w, const unsigned char *header,
                                        size_t *body_bytes);

/* Writes the header of the message by which a proxy reports how its processes have ended. Returns
 * its length. A status of each process must follow, in the form of waitpid(). */
size_t ftc_wire_make_exit_header(const struct ftc_wire *w, unsigned char *header);

#endif
