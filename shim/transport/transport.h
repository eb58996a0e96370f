/* transport: messages between the ranks of a job, with one inbox for all that a rank is sent.
 *
 * Below it are links: the rings of ring.h between ranks of one host, and the sockets of link.h
 * between ranks of different ones. What a link promises, and the protocol above relies on:
 *
 * - What one rank sends to another arrives whole, once and in the order of sending, or not at all.
 * - Of a rank that dies arrives a prefix of what it had sent. Half a message is no message, and the
 *   death disturbs no other's messages.
 * - Once a death is on the board, ftc_transport_next_from() finds all that will ever arrive from
 *   that rank.
 * - Sending needs no receiver that takes messages: it takes the message, or says that there is no
 *   room until the receiver has released one. Only the first message between ranks of different
 *   hosts, and what is sent again when their connection has broken, need somebody there who looks
 *   at links: a thread (progress/link_thread.h), as the rank may compute for hours.
 * - No call waits, allocates or, between ranks of one host, enters the kernel.
 * - ftc_transport_next() costs messages, not ranks.
 *
 * Not thread-safe, but for what says so: the caller holds the library's lock. */
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
    struct ftc_ring *ring;              /* with each rank */
    struct ftc_links *links;            /* with ranks of other hosts; NULL: there are none */
    struct ftc_remote_queries *queries; /* to their monitor processes (remote_query.h) */
    _Atomic uint64_t *bell; /* this rank's; NULL: nobody rings, all rings are looked at */
    uint64_t waiting_words; /* which words of the next are not zero */
    uint64_t waiting[FTC_BOARD_RANKS_MAX / 64]; /* a set: of whom there may be messages */
};

/* A message that has arrived. */
struct ftc_arrival {
    uint32_t from;               /* world rank */
    bool stays;                  /* it has not been released */
    bool is_by_link;             /* from another host */
    uint32_t link;               /* where to look next among these */
    size_t bytes;                /* never more than a link carries in one message */
    const void *wire;            /* until it is released */
    const struct ftc_note *note; /* of the call that it belongs to */
};

/* Returns 0 or a negative errno. */
int ftc_transport_open(struct ftc_transport *t, const struct ftc_board *board, uint32_t self);
void ftc_transport_close(struct ftc_transport *t);

/* Makes links to ranks of other hosts; those come to @listener. With those that have such a network
 * too messages go by @fabric; NULL: there is none. Both are taken over. Returns 0 or a negative
 * errno. */
int ftc_transport_link(struct ftc_transport *t, int listener, struct ftc_fabric *fabric);

/* Numbers of ranks of other hosts: with a link at any time, with messages by UCX now, with messages
 * by UCX at any time. */
struct ftc_links_count {
    uint32_t links, by_ucx, used_ucx;
};
struct ftc_links_count ftc_transport_count_links(const struct ftc_transport *t);

/* Lets ranks of other hosts in that want to make a link, makes and mends links, and sends the rest
 * of what they have taken. True if it is to be done again soon, in a hundredth of a second. */
bool ftc_transport_look_at_links(struct ftc_transport *t);

/* Waits until links need a look for other ranks: one of them opens a link, with a message that this
 * rank may not need any more, or a connection has broken and may have lost a message. With @soon
 * returns also at the time that the last look gave, or when another thread wakes it. With UCX paths
 * returns after a tenth of a second, because UCX wakes no thread. Needs links. Is the only call
 * without the lock, and called by one thread. */
void ftc_transport_await_links(struct ftc_transport *t, bool soon);
void ftc_transport_wake_links(const struct ftc_transport *t);

bool ftc_transport_links_are_out(const struct ftc_transport *t);

/* Whether all that links have taken is out of this process. What a ring has taken is. */
static inline bool ftc_transport_is_out(const struct ftc_transport *t)
{
    return !t->links || ftc_transport_links_are_out(t);
}

/* A living rank with which there has been no link for @ms milliseconds, and whose host does not
 * answer. -1: none. */
int ftc_transport_lost(const struct ftc_transport *t, int ms);

/* The last message is sent: waits until all of them have reached the hosts of their receivers, for
 * at most a second. False: some have not, because of a broken link. */
bool ftc_transport_finish(struct ftc_transport *t);

/* Sends @m, and @note of the call that it belongs to, to world rank @to; false while there is no
 * room for it. */
bool ftc_transport_send(struct ftc_transport *t, uint32_t to, const struct ftc_message *m,
                        const struct ftc_envelope *envelope, enum ftc_failure_scheme scheme,
                        size_t value_bytes, const struct ftc_note *note);

/* The next message of whoever has one. A pass over all begins with an @a of zeros and is over when
 * this is false. A message that was not released stays for the next pass, and this one goes on with
 * other ranks. */
bool ftc_transport_next(struct ftc_transport *t, struct ftc_arrival *a);

/* The oldest message from world rank @from that was not released. */
bool ftc_transport_next_from(struct ftc_transport *t, uint32_t from, struct ftc_arrival *a);

/* The message is not needed any more: its sender has room for another. */
void ftc_transport_release(struct ftc_transport *t, struct ftc_arrival *a);

/* Values of so many bytes can always be sent, however small those of the program are. */
enum { FTC_TRANSPORT_VALUE_BYTES_MIN = 64 };

/* Bytes of one place in a ring for messages with values of up to @value_bytes. */
uint32_t ftc_transport_message_stride(size_t value_bytes);

#endif
