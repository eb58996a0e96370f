/* siphash: SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012), 64 bits.
 * A keyed hash that does not reveal its key, for the handshake between hosts.
 *
 * SipHash is made for messages as short as those of a handshake, is small enough to be read, and
 * needs no other library. The C library has no keyed hash. The kernel's (AF_ALG) is a module that
 * containers and small kernels lack. A TLS library would be loaded into the user's program. 64 bits
 * are enough because an attacker can test a guessed tag only by sending it to the job. */
#ifndef FTC_NET_SIPHASH_H
#define FTC_NET_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

/* Returns the hash of the @bytes bytes at @data with @key. */
uint64_t ftc_siphash(const uint64_t key[2], const void *data, size_t bytes);

#endif
