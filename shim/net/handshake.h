/* handshake: how two processes of a job authenticate each other over a network without sending
 * their key.
 *
 *     connecting process                listening process
 *       greeting (ranks, nonce)      ->
 *                                    <-  challenge (nonce, tag of both nonces)
 *       proof (another tag of both)  ->
 *                                    <-  reply (a third one: welcome, or not now)
 *
 * Each tag is a keyed hash of the greeting, the other nonce and the sender's role. It can therefore
 * not be replayed on another connection or sent back to its sender. Later data are neither
 * encrypted nor signed. As with MPI's own messages, an attacker who can change data between two
 * hosts can change what arrives.
 *
 * Pure: these functions make and read messages, and use no socket. */
#ifndef FTC_NET_HANDSHAKE_H
#define FTC_NET_HANDSHAKE_H

#include <stdbool.h>
#include <stdint.h>

/* Purpose of a connection. */
enum ftc_purpose {
    FTC_PURPOSE_LINK = 1, /* messages of operations, between two ranks */
    FTC_PURPOSE_UPDATES,  /* events on the listener's host, for the agent of another host */
    FTC_PURPOSE_QUERY,    /* queries about ranks on the listener's host */
    FTC_PURPOSE_LEASE,    /* requests for a host's lease, from its agent to mpiexec (lease.h) */
};

/* Messages are plain bytes in the machine's own format, because MPICH needs equal machines too. */
struct ftc_greeting {
    uint32_t magic;
    uint32_t purpose; /* enum ftc_purpose */
    uint32_t from;    /* world rank of the connecting process */
    uint32_t to;      /* world rank of the process that it wants to reach */
    uint64_t nonce[2];
};

struct ftc_challenge {
    uint64_t nonce[2];
    uint64_t tag;
};

struct ftc_proof {
    uint64_t tag;
};

struct ftc_reply {
    uint64_t tag;
};

/* State of a handshake: what the messages so far contained. */
struct ftc_handshake {
    uint64_t key[2];
    struct ftc_greeting greeting;
    uint64_t nonce[2]; /* nonce of the listening process */
};

/* ---- the connecting process ---- */

/* Makes the greeting h->greeting, with a random nonce. Returns false if the kernel has no random
 * numbers. */
bool ftc_handshake_greet(struct ftc_handshake *h, enum ftc_purpose purpose, uint32_t from,
                         uint32_t to);

/* Makes the @proof that answers @challenge. Returns false if the sender of the challenge does not
 * have the key. */
bool ftc_handshake_prove(struct ftc_handshake *h, const struct ftc_challenge *challenge,
                         struct ftc_proof *proof);

/* Answers of the listening process. FTC_NOT_NOW refuses the connection for now. FTC_NOT_OURS: the
 * reply's sender does not have the key. */
enum ftc_welcome { FTC_NOT_OURS, FTC_WELCOME, FTC_NOT_NOW };
enum ftc_welcome ftc_handshake_read_reply(const struct ftc_handshake *h,
                                          const struct ftc_reply *reply);

/* ---- the listening process, rank @self of @ranks ---- */

/* Makes the @challenge that answers @greeting. Returns false if @greeting is invalid or is not for
 * this rank, or if the kernel has no random numbers. */
bool ftc_handshake_challenge(struct ftc_handshake *h, const struct ftc_greeting *greeting,
                             uint32_t self, uint32_t ranks, struct ftc_challenge *challenge);

/* Returns whether the sender of @proof has the key. */
bool ftc_handshake_is_proved(const struct ftc_handshake *h, const struct ftc_proof *proof);

struct ftc_reply ftc_handshake_reply(const struct ftc_handshake *h, enum ftc_welcome welcome);

/* ---- both processes, once the connection is open ---- */

/* Returns the tag that rank @from sends first on a stream beside the connection. */
uint64_t ftc_handshake_stream_tag(const struct ftc_handshake *h, uint32_t from);

#endif
