#include "transport.h"

#include <errno.h>
#include <stdlib.h>

/* A message is there when its stamp is its number in the ring plus one. The header follows at once,
 * so that a small message is one cache line. Its note is elsewhere, in a line that only its writer
 * touches unless calls do not match; the notes lie together, because slots are often a page each.
 */
struct ring_slot {
    _Atomic uint64_t stamp;
    uint32_t bytes;
    uint32_t unused;
    unsigned char wire[];
};

/* The reader's count has a cache line of its own at the start of the ring. */
static _Atomic uint64_t *consumed(unsigned char *ring)
{
    return (_Atomic uint64_t *)(void *)ring;
}

static struct ring_slot *slot_at(const struct ftc_transport *t, unsigned char *ring,
                                 uint64_t number)
{
    const struct ftc_board_geometry *g = &t->board->geometry;

    return (struct ring_slot *)(void *)(ring + 64 +
                                        (number & (g->ring_depth - 1)) * g->message_stride_bytes);
}

uint32_t ftc_transport_message_stride(size_t value_bytes)
{
    size_t value =
        value_bytes > FTC_TRANSPORT_VALUE_BYTES_MIN ? value_bytes : FTC_TRANSPORT_VALUE_BYTES_MIN;
    size_t bytes = sizeof(struct ring_slot) + ftc_message_max_wire_bytes(value);

    return (uint32_t)((bytes + 63) / 64 * 64);
}

static struct ftc_note *note_at(const struct ftc_transport *t, unsigned char *ring, uint64_t number)
{
    const struct ftc_board_geometry *g = &t->board->geometry;
    unsigned char *notes = ring + 64 + (size_t)g->ring_depth * g->message_stride_bytes;

    return (struct ftc_note *)(void *)(notes +
                                       (number & (g->ring_depth - 1)) * FTC_BOARD_RING_NOTE_BYTES);
}

int ftc_transport_open(struct ftc_transport *t, const struct ftc_board *board, uint32_t self)
{
    uint32_t n = board->geometry.slots;

    *t = (struct ftc_transport){.board = board, .self = self};
    t->end = calloc(n, sizeof *t->end);
    if (!t->end)
        return -ENOMEM;
    for (uint32_t peer = 0; peer < n; peer++) {
        t->end[peer].out = ftc_board_ring(board, peer, self);
        t->end[peer].in = ftc_board_ring(board, self, peer);
        t->end[peer].sent_limit = board->geometry.ring_depth;
    }
    return 0;
}

void ftc_transport_close(struct ftc_transport *t)
{
    free(t->end);
    *t = (struct ftc_transport){0};
}

/* The reader's count is looked at only when the ring seems full: it is the reader's cache line. */
static bool has_room(const struct ftc_transport *t, struct ftc_ring_end *e)
{
    if (e->sent < e->sent_limit)
        return true;
    e->sent_limit = atomic_load_explicit(consumed(e->out), memory_order_acquire) +
                    t->board->geometry.ring_depth;
    return e->sent < e->sent_limit;
}

bool ftc_transport_send(struct ftc_transport *t, uint32_t to, const struct ftc_message *m,
                        const struct ftc_envelope *envelope, enum ftc_failure_scheme scheme,
                        size_t value_bytes, const struct ftc_note *note)
{
    struct ftc_ring_end *e = &t->end[to];
    struct ring_slot *s;

    if (!has_room(t, e))
        return false;
    s = slot_at(t, e->out, e->sent);
    s->bytes = (uint32_t)ftc_message_wire_bytes(m, scheme, value_bytes);
    ftc_message_encode(m, envelope, scheme, value_bytes, s->wire);
    *note_at(t, e->out, e->sent) = *note;
    e->sent++;
    atomic_store_explicit(&s->stamp, e->sent, memory_order_release);
    return true;
}

const void *ftc_transport_peek(struct ftc_transport *t, uint32_t from, size_t *bytes)
{
    struct ftc_ring_end *e = &t->end[from];
    struct ring_slot *s = slot_at(t, e->in, e->received);
    size_t room = t->board->geometry.message_stride_bytes - sizeof *s;

    if (atomic_load_explicit(&s->stamp, memory_order_acquire) != e->received + 1)
        return NULL;
    *bytes = s->bytes <= room ? s->bytes : 0; /* too long: nothing that could be decoded */
    return s->wire;
}

const struct ftc_note *ftc_transport_note(const struct ftc_transport *t, uint32_t from)
{
    const struct ftc_ring_end *e = &t->end[from];

    return note_at(t, e->in, e->received);
}

void ftc_transport_drop(struct ftc_transport *t, uint32_t from)
{
    struct ftc_ring_end *e = &t->end[from];

    e->received++;
    atomic_store_explicit(consumed(e->in), e->received, memory_order_release);
}
