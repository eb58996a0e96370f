#include "ring.h"

/* Slot of a message. The message's header follows the stamp immediately, so that a small message is
 * one cache line. Its note is elsewhere, in a line that only the writer touches unless calls do not
 * match. The notes lie together, because slots are often a page each. */
struct ring_slot {
    _Atomic uint64_t stamp;
    uint32_t bytes;
    uint32_t unused;
    unsigned char wire[];
};

/* Returns the reader's count of messages, which has a cache line of its own at the start of the
 * ring. */
static _Atomic uint64_t *consumed(unsigned char *ring)
{
    return (_Atomic uint64_t *)(void *)ring;
}

static struct ring_slot *slot_at(const struct ftc_board_geometry *g, unsigned char *ring,
                                 uint64_t number)
{
    return (struct ring_slot *)(void *)(ring + 64 +
                                        (number & (g->ring_depth - 1)) * g->message_stride_bytes);
}

static struct ftc_note *note_at(const struct ftc_board_geometry *g, unsigned char *ring,
                                uint64_t number)
{
    unsigned char *notes = ring + 64 + (size_t)g->ring_depth * g->message_stride_bytes;

    return (struct ftc_note *)(void *)(notes +
                                       (number & (g->ring_depth - 1)) * FTC_BOARD_RING_NOTE_BYTES);
}

uint32_t ftc_ring_message_stride(size_t wire_bytes)
{
    return (uint32_t)((sizeof(struct ring_slot) + wire_bytes + 63) / 64 * 64);
}

static void find_next(struct ftc_ring *r, const struct ftc_board_geometry *g)
{
    r->stamp = &slot_at(g, r->in, r->received)->stamp;
}

void ftc_ring_open(struct ftc_ring *r, const struct ftc_board *board, uint32_t self, uint32_t peer)
{
    *r = (struct ftc_ring){
        .out = ftc_board_ring(board, peer, self),
        .in = ftc_board_ring(board, self, peer),
        .sent_limit = board->geometry.ring_depth,
    };
    find_next(r, &board->geometry);
}

/* Returns whether the ring has room. Loads the reader's count only when the ring seems full,
 * because it is in the reader's cache line. */
static bool has_room(struct ftc_ring *r, const struct ftc_board_geometry *g)
{
    if (r->sent < r->sent_limit)
        return true;
    r->sent_limit = atomic_load_explicit(consumed(r->out), memory_order_acquire) + g->ring_depth;
    return r->sent < r->sent_limit;
}

bool ftc_ring_send(struct ftc_ring *r, const struct ftc_board_geometry *g,
                   const struct ftc_message *m, const struct ftc_envelope *envelope,
                   enum ftc_failure_scheme scheme, size_t value_bytes, const struct ftc_note *note)
{
    struct ring_slot *s;

    if (!has_room(r, g))
        return false;
    s = slot_at(g, r->out, r->sent);
    s->bytes = (uint32_t)ftc_message_wire_bytes(m, scheme, value_bytes);
    ftc_message_encode(m, envelope, scheme, value_bytes, s->wire);
    *note_at(g, r->out, r->sent) = *note;
    r->sent++;
    atomic_store_explicit(&s->stamp, r->sent, memory_order_release);
    return true;
}

const void *ftc_ring_peek(const struct ftc_ring *r, const struct ftc_board_geometry *g,
                          size_t *bytes)
{
    struct ring_slot *s = slot_at(g, r->in, r->received);
    size_t room = g->message_stride_bytes - sizeof *s;

    *bytes = s->bytes <= room ? s->bytes : 0; /* too long: without bytes it is not decoded */
    return s->wire;
}

const struct ftc_note *ftc_ring_note(const struct ftc_ring *r, const struct ftc_board_geometry *g)
{
    return note_at(g, r->in, r->received);
}

void ftc_ring_drop(struct ftc_ring *r, const struct ftc_board_geometry *g)
{
    r->received++;
    find_next(r, g);
    atomic_store_explicit(consumed(r->in), r->received, memory_order_release);
}
