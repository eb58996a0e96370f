/* siphash: SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012), 64 bits:
 * a keyed hash that shows nothing of its key, for the handshake between hosts.
 *
 * Why this one: it is made for messages as short as those of a handshake, is small enough to be
 * read, and needs nothing else. The C library has no keyed hash; the kernel's (AF_ALG) is a module
 * that containers and small kernels lack; a TLS library would come into somebody's program. Who
 * guesses a tag must ask the job for each guess: 64 bits are enough. */
#ifndef FTC_NET_SIPHASH_H
#define FTC_NET_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

/* Of the @bytes bytes at @data, under @key. */
uint64_t ftc_siphash(const uint64_t key[2], const void *data, size_t bytes);

#endif
