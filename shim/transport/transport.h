/* transport: messages between the ranks of a job, and one inbox for all messages to a rank.
 *
 * Messages use links: the rings of ring.h between ranks of one host, and the sockets of link.h
 * between ranks of different hosts. The protocol relies on the following guarantees of a link:
 *
 * - A message arrives whole, once and in the order of sending, or not at all.
 * - If a rank dies, a prefix of the messages that it had sent arrives. Half a message counts as
 *   none, and the death disturbs no messages of other ranks.
 * - Once a death is on the board, ftc_transport_next_from() finds all messages that will ever
 *   arrive from that rank.
 * - Sending does not wait for the receiver: the link takes the message, or reports that there is no
 *   room until the receiver has released one. Two things need a receiver that looks after its
 *   links: the first message between ranks of different hosts, and repeated messages after their
 *   connection has broken. A thread does that (progress/link_thread.h), because the rank may
 *   compute for hours.
 * - No call waits, unless its comment says so. Between ranks of one host no call allocates memory
 *   or enters the kernel.
 * - The cost of ftc_transport_next() grows with the messages, not with the ranks.
 *
 * Not thread-safe unless a comment says so: the caller holds the library's lock. */
#ifndef FTC_TRANSPORT_TRANSPORT_H
#define FTC_TRANSPORT_TRANSPORT_H

#include "board/board.h"
#include "engine/message.h"
#include "ring.h"

struct ftc_fabric;
struct ftc_links;
struct ftc_remote_queries;

struct ftc_transport {
    const struct ftc_board *board;
    uint32_t self;                      /* world rank */
    struct ftc_ring *ring;              /* rings with each rank */
    struct ftc_links *links;            /* links with ranks of other hosts; NULL: there are none */
    struct ftc_remote_queries *queries; /* queries to their monitor processes (remote_query.h) */
    _Atomic uint64_t *pending; /* pending senders of this rank; NULL: all rings are checked */
    uint64_t waiting_words;    /* set of the words of waiting that are not zero */
    uint64_t waiting[FTC_BOARD_RANKS_MAX / 64]; /* set of the ranks that may have sent a message */
};

/* A message that has arrived. */
struct ftc_arrival {
    uint32_t from;               /* world rank */
    bool stays;                  /* the message has not been released */
    bool is_by_link;             /* the message came from another host */
    uint32_t link;               /* number of the link at which the search goes on */
    size_t bytes;                /* length of the message, never more than a link carries */
    const void *wire;            /* the encoded message, until it is released */
    const struct ftc_note *note; /* note of the call that the message belongs to */
};

/* Opens the transport of rank @self to the ranks of its host. Returns 0 or a negative errno. */
int ftc_transport_open(struct ftc_transport *t, const struct ftc_board *board, uint32_t self);
void ftc_transport_close(struct ftc_transport *t);

/* Enables links with ranks of other hosts, which connect to @listener. Messages use @fabric where
 * the peer has such a network too; NULL: there is none. Takes over both, also if it fails. Returns
 * 0 or a negative errno. */
int ftc_transport_link(struct ftc_transport *t, int listener, struct ftc_fabric *fabric);

/* Numbers of ranks of other hosts: with a link at any time, with messages by UCX now, with messages
 * by UCX at any time. */
struct ftc_links_count {
    uint32_t links, by_ucx, used_ucx;
};
struct ftc_links_count ftc_transport_count_links(const struct ftc_transport *t);

/* Accepts links from ranks of other hosts, opens and repairs links, and sends the rest of the
 * messages that they have taken. Returns true if it has to be called again soon, in 10 ms. */
bool ftc_transport_look_at_links(struct ftc_transport *t);

/* Waits until links have to be looked after for other ranks: a rank opens a link, with a message
 * that no call of this rank may wait for, or a connection has broken and may have lost a message.
 * Also returns when another thread calls ftc_transport_wake_links(). With @soon returns after 10 ms
 * at the latest, and with a fabric after 100 ms, because UCX wakes no thread. There must be links.
 * This is the only function that is called without the lock, and only one thread calls it. */
void ftc_transport_await_links(struct ftc_transport *t, bool soon);
void ftc_transport_wake_links(const struct ftc_transport *t);

bool ftc_transport_links_are_out(const struct ftc_transport *t);

/* Returns whether all messages that links have taken have left this process. Those in rings
 * have. */
static inline bool ftc_transport_is_out(const struct ftc_transport *t)
{
    return !t->links || ftc_transport_links_are_out(t);
}

/* Returns a living rank with which there has been no working link for @ms milliseconds and whose
 * host does not answer; -1 if there is none. */
int ftc_transport_lost(const struct ftc_transport *t, int ms);

/* Waits, after the last message, until all messages have reached the hosts of their receivers, for
 * at most 1 s. Returns false if some have not because of a broken link. */
bool ftc_transport_finish(struct ftc_transport *t);

/* Sends @m, with @note of its call, to world rank @to. Returns false while there is no room. */
bool ftc_transport_send(struct ftc_transport *t, uint32_t to, const struct ftc_message *m,
                        const struct ftc_envelope *envelope, enum ftc_failure_scheme scheme,
                        size_t value_bytes, const struct ftc_note *note);

/* Sets @a to the next message of any rank. A pass over all ranks begins with an @a of zeros and is
 * over when this returns false. A message that was not released stays for the next pass, and this
 * pass goes on with other ranks. */
bool ftc_transport_next(struct ftc_transport *t, struct ftc_arrival *a);

/* Sets @a to the oldest message from world rank @from that was not released. Returns false if there
 * is none. */
bool ftc_transport_next_from(struct ftc_transport *t, uint32_t from, struct ftc_arrival *a);

/* Releases the message @a, so that its sender has room for another. */
void ftc_transport_release(struct ftc_transport *t, struct ftc_arrival *a);

/* Bytes of a value that can always be sent, however small the program's values are. */
enum { FTC_TRANSPORT_VALUE_BYTES_MIN = 64 };

/* Returns the bytes of one slot of a ring for messages with values of up to @value_bytes. */
uint32_t ftc_transport_message_stride(size_t value_bytes);

#endif
