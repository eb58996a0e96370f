#include "multicast.h"

#include "board/publication.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

/* Place of a message. If its value is small, the message is in the second of two cache lines. The
 * first has the note, which is read only if calls do not match. */
struct ftc_multicast_place {
    struct ftc_note note;
    _Alignas(64) _Atomic uint64_t stamp; /* 0: no message, or it is being written */
    uint32_t bytes;
    uint32_t unused;
    unsigned char wire[];
};

_Static_assert(sizeof(struct ftc_multicast_place) == FTC_BOARD_MULTICAST_BYTES, "head of a place");

enum { WIRE_AT = offsetof(struct ftc_multicast_place, wire) };

/* Returns the stamp of a message, which depends on its communicator. An entry may pass from one
 * communicator to another, and both have an operation 0. A reader that has seen the stamp of one
 * must not take it for that of the other, which is being written. */
static uint64_t stamp_of(const struct ftc_envelope *envelope)
{
    return envelope->communicator_id + envelope->seq + 1;
}

uint32_t ftc_multicast_stride(void)
{
    size_t bytes = WIRE_AT + sizeof(struct ftc_message_header) + FTC_MULTICAST_VALUE_BYTES;

    return (uint32_t)((bytes + 63) / 64 * 64);
}

int ftc_multicast_open(struct ftc_multicast *m, int size)
{
    *m = (struct ftc_multicast){.first = calloc((size_t)size, sizeof(void *))};
    for (int i = 0; i < FTC_BOARD_MULTICASTS; i++)
        m->seq[i] = UINT32_MAX; /* before all operations */
    return m->first ? 0 : -ENOMEM;
}

void ftc_multicast_close(struct ftc_multicast *m)
{
    free(m->first);
    m->first = NULL;
}

void ftc_multicast_send(struct ftc_multicast *m, const struct ftc_transport *t, uint32_t entry,
                        const struct ftc_message *message, const struct ftc_envelope *envelope,
                        enum ftc_failure_scheme scheme, size_t value_bytes,
                        const struct ftc_note *note)
{
    uint32_t place = m->sent++ % FTC_BOARD_MULTICASTS;
    struct ftc_multicast_place *to = ftc_board_multicast(t->board, t->self, entry, place);
    size_t bytes = ftc_message_wire_bytes(message, scheme, value_bytes);

    assert(WIRE_AT + bytes <= t->board->geometry.multicast_bytes);
    m->seq[place] = envelope->seq;
    atomic_store_explicit(&to->stamp, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    to->bytes = (uint32_t)bytes;
    ftc_message_encode(message, envelope, scheme, value_bytes, to->wire);
    to->note = *note;
    atomic_store_explicit(&to->stamp, stamp_of(envelope), memory_order_release);
}

/* Finds the places of @rank. Returns false if the rank does not use the communicator yet. */
static bool find_places(struct ftc_multicast *m, const struct ftc_transport *t, int rank,
                        uint32_t from, uint64_t communicator_id)
{
    uint32_t entry;

    if (!m->first[rank] && ftc_publication_find(t->board, from, communicator_id, &entry))
        m->first[rank] = ftc_board_multicast(t->board, from, entry, 0);
    return m->first[rank] != NULL;
}

/* Returns whether the message belongs to the operation that @wanted names. Its stamp proves
 * nothing, because it is a sum. */
static bool is_of(const struct ftc_arrival *a, const struct ftc_envelope *wanted)
{
    struct ftc_envelope envelope;

    return ftc_message_read_envelope(a->wire, a->bytes, &envelope) &&
           envelope.communicator_id == wanted->communicator_id && envelope.seq == wanted->seq;
}

static bool take(const struct ftc_board *board, uint32_t from,
                 const struct ftc_multicast_place *first, uint32_t place,
                 const struct ftc_envelope *envelope, struct ftc_arrival *a)
{
    const struct ftc_multicast_place *p = ftc_board_next_multicast(board, first, place);
    uint32_t room = board->geometry.multicast_bytes - WIRE_AT, bytes;

    if (atomic_load_explicit(&p->stamp, memory_order_acquire) != stamp_of(envelope))
        return false;
    bytes = p->bytes;
    *a = (struct ftc_arrival){
        .from = from, .bytes = bytes <= room ? bytes : 0, .wire = p->wire, .note = &p->note};
    return is_of(a, envelope);
}

/* Begins with the place that this rank used last, because ranks that have sent equally many
 * messages have used the same one. */
bool ftc_multicast_find(struct ftc_multicast *m, const struct ftc_transport *t, int rank,
                        uint32_t from, const struct ftc_envelope *envelope, struct ftc_arrival *a)
{
    if (!find_places(m, t, rank, from, envelope->communicator_id))
        return false;
    for (uint32_t i = 0; i < FTC_BOARD_MULTICASTS; i++)
        if (take(t->board, from, m->first[rank], (m->sent - 1 + i) % FTC_BOARD_MULTICASTS, envelope,
                 a))
            return true;
    return false;
}
