/* handshake: how two processes of one job recognise each other over a network, without showing
 * their key.
 *
 *     who connects                      who listens
 *       greeting (who, whom, nonce)  ->
 *                                    <-  challenge (nonce, tag of both nonces)
 *       proof (another tag of both)  ->
 *                                    <-  reply (a third one: welcome, or not now)
 *
 * Each tag is a keyed hash of all that was said and of the role of who says it, so none can be
 * repeated on another connection, or sent back to its sender. What comes after it is not
 * encrypted, nor is each message signed: as with MPI's own messages, who can change what is under
 * way between two hosts can change what arrives.
 *
 * Pure: it makes and reads messages, and does not touch a socket. */
#ifndef FTC_NET_HANDSHAKE_H
#define FTC_NET_HANDSHAKE_H

#include <stdbool.h>
#include <stdint.h>

/* What a connection is for. */
enum ftc_purpose {
    FTC_PURPOSE_LINK = 1, /* messages of operations, between two ranks */
    FTC_PURPOSE_NEWS,     /* what happens on the listener's host, for the agent of another */
    FTC_PURPOSE_QUERY,    /* what ranks of the listener's host have published */
    FTC_PURPOSE_LEASE, /* whether the ranks of a host may go on: its agent, to mpiexec (lease.h) */
};

/* All messages are plain bytes, between machines of one kind as MPICH's own are. */
struct ftc_greeting {
    uint32_t magic;
    uint32_t purpose; /* enum ftc_purpose */
    uint32_t from;    /* world rank of who connects, */
    uint32_t to;      /* and of who is meant */
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

/* What was said so far. */
struct ftc_handshake {
    uint64_t key[2];
    struct ftc_greeting greeting;
    uint64_t nonce[2]; /* the listener's */
};

/* ---- who connects ---- */

/* Draws a nonce. False if the kernel has no random numbers. */
bool ftc_handshake_greet(struct ftc_handshake *h, enum ftc_purpose purpose, uint32_t from,
                         uint32_t to);

/* The answer to @challenge; false if its sender has not the key. */
bool ftc_handshake_prove(struct ftc_handshake *h, const struct ftc_challenge *challenge,
                         struct ftc_proof *proof);

enum ftc_welcome { FTC_NOT_OURS, FTC_WELCOME, FTC_NOT_NOW };
enum ftc_welcome ftc_handshake_read_reply(const struct ftc_handshake *h,
                                          const struct ftc_reply *reply);

/* ---- who listens, as rank @self of @ranks ---- */

/* False if @greeting is none, or is not for this rank. */
bool ftc_handshake_challenge(struct ftc_handshake *h, const struct ftc_greeting *greeting,
                             uint32_t self, uint32_t ranks, struct ftc_challenge *challenge);

/* Whether @proof is of one who has the key. */
bool ftc_handshake_is_proved(const struct ftc_handshake *h, const struct ftc_proof *proof);

struct ftc_reply ftc_handshake_reply(const struct ftc_handshake *h, enum ftc_welcome welcome);

/* ---- both, once the connection is open ---- */

/* What rank @from says first on a stream beside the connection: a tag again. */
uint64_t ftc_handshake_stream_tag(const struct ftc_handshake *h, uint32_t from);

#endif
