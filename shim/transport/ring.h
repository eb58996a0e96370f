/* ring: link between two ranks of one host: messages through shared memory on the board.
 *
 * There is one ring for each ordered pair of ranks, with one writer and one reader. A writer that
 * dies in the middle of a message leaves a slot without a stamp. That counts as no message and
 * disturbs no other rank. A queue with many writers, such as those beneath MPI's own point-to-point
 * messages, can be left unusable for all ranks by one death. */
#ifndef FTC_TRANSPORT_RING_H
#define FTC_TRANSPORT_RING_H

#include "board/board.h"
#include "engine/message.h"

/* Private data of this rank about its two rings with one other rank. */
struct ftc_ring {
    unsigned char *out, *in;   /* rings to and from the peer */
    uint64_t sent, sent_limit; /* messages written; number for which the reader has made room */
    uint64_t received;
    const _Atomic uint64_t *stamp; /* stamp of the next message from the peer */
};

void ftc_ring_open(struct ftc_ring *r, const struct ftc_board *board, uint32_t self, uint32_t peer);

/* Sends @m with @note of its call. Returns false while the ring is full. */
bool ftc_ring_send(struct ftc_ring *r, const struct ftc_board_geometry *g,
                   const struct ftc_message *m, const struct ftc_envelope *envelope,
                   enum ftc_failure_scheme scheme, size_t value_bytes, const struct ftc_note *note);

/* Returns whether there is a message that has not been dropped. Costs one load, because each turn
 * asks. A message is there when the stamp of its slot is its number in the ring plus one. */
static inline bool ftc_ring_has_message(const struct ftc_ring *r)
{
    return atomic_load_explicit(r->stamp, memory_order_acquire) == r->received + 1;
}

/* Returns the oldest message of @r, which must have one. *@bytes never exceeds what a slot
 * holds. */
const void *ftc_ring_peek(const struct ftc_ring *r, const struct ftc_board_geometry *g,
                          size_t *bytes);

/* Returns the note that came with the oldest message of @r. */
const struct ftc_note *ftc_ring_note(const struct ftc_ring *r, const struct ftc_board_geometry *g);

void ftc_ring_drop(struct ftc_ring *r, const struct ftc_board_geometry *g);

/* Returns the bytes of one slot for messages of up to @wire_bytes. */
uint32_t ftc_ring_message_stride(size_t wire_bytes);

#endif
