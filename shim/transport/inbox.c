/* Inbox of a rank. Senders add themselves to its pending senders, so that the rank knows which
 * ranks have sent something without a look at each ring. */
#include "transport.h"

#include "board/directory.h"
#include "link.h"
#include "net/fabric.h"
#include "remote_query.h"
#include "value/rank_set.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Number of ranks up to which there are no pending senders, and each ring is checked. That saves a
 * cache line per message and costs a few loads per turn. All ranks of a job agree, because the
 * board has the number of ranks. */
enum { RANKS_WITHOUT_PENDING = 8 };

uint32_t ftc_transport_message_stride(size_t value_bytes)
{
    size_t value =
        value_bytes > FTC_TRANSPORT_VALUE_BYTES_MIN ? value_bytes : FTC_TRANSPORT_VALUE_BYTES_MIN;

    return ftc_ring_message_stride(ftc_message_max_wire_bytes(value));
}

/* ---- ranks that have sent something ---- */

/* Notes all ranks of this host as senders, permanently, for jobs without pending senders. */
static void wait_for_all(struct ftc_transport *t)
{
    for (uint32_t rank = 0; rank < t->board->geometry.ranks; rank++)
        if (rank != t->self && ftc_board_is_here(t->board, rank))
            ftc_rank_set_add(t->waiting, rank);
    t->waiting_words = 1;
}

/* Adds this rank to the pending senders of rank @to, after the message, so that a reader that sees
 * the bit finds the message. Sets this rank's bit before the bit of its word in the first word. The
 * reader takes them in the other order, and both sides are sequentially consistent. */
static void mark_pending(const struct ftc_transport *t, uint32_t to)
{
    _Atomic uint64_t *pending = ftc_board_pending_senders(t->board, to);
    uint32_t word = t->self / 64;

    atomic_fetch_or(&pending[1 + word], ftc_rank_set_bit(t->self));
    if (!(atomic_load(&pending[0]) & ftc_rank_set_bit(word)))
        atomic_fetch_or(&pending[0], ftc_rank_set_bit(word));
}

/* Takes this rank's pending senders. Any process may have written to them. Words that do not exist
 * are ignored, and no message is found of a rank that has sent none. */
static void take_pending(struct ftc_transport *t)
{
    uint64_t rung;

    if (!t->pending || atomic_load_explicit(&t->pending[0], memory_order_relaxed) == 0)
        return;
    for (rung = atomic_exchange(&t->pending[0], 0); rung != 0; rung &= rung - 1) {
        uint32_t word = (uint32_t)__builtin_ctzll(rung);

        if (word >= ftc_board_set_words(&t->board->geometry))
            break;
        t->waiting[word] |= atomic_exchange(&t->pending[1 + word], 0);
        if (t->waiting[word] != 0) /* an earlier look may have taken these bits */
            t->waiting_words |= ftc_rank_set_bit(word);
    }
}

/* Finds the first rank from *@rank on that may have sent a message. Returns false if there is
 * none. */
static bool find_waiting(const struct ftc_transport *t, uint32_t *rank)
{
    uint32_t word = *rank / 64;
    uint64_t words, ranks;

    if (word > 63)
        return false;
    ranks = t->waiting[word] & -ftc_rank_set_bit(*rank);
    if (ranks == 0) {
        words = t->waiting_words & -ftc_rank_set_bit(word) & ~ftc_rank_set_bit(word);
        if (words == 0)
            return false;
        word = (uint32_t)__builtin_ctzll(words);
        ranks = t->waiting[word];
    }
    *rank = 64 * word + (uint32_t)__builtin_ctzll(ranks);
    return *rank < t->board->geometry.ranks;
}

/* Notes that @rank has no more messages. It adds itself again when it sends another. */
static void strike_out(struct ftc_transport *t, uint32_t rank)
{
    if (!t->pending)
        return;
    t->waiting[rank / 64] &= ~ftc_rank_set_bit(rank);
    if (t->waiting[rank / 64] == 0)
        t->waiting_words &= ~ftc_rank_set_bit(rank / 64);
}

/* ---- messages ---- */

int ftc_transport_open(struct ftc_transport *t, const struct ftc_board *board, uint32_t self)
{
    uint32_t n = board->geometry.ranks;

    *t = (struct ftc_transport){.board = board, .self = self};
    t->ring = calloc(n, sizeof *t->ring);
    if (!t->ring)
        return -ENOMEM;
    for (uint32_t peer = 0; peer < n; peer++)
        ftc_ring_open(&t->ring[peer], board, self, peer);
    if (n > RANKS_WITHOUT_PENDING)
        t->pending = ftc_board_pending_senders(board, self);
    else
        wait_for_all(t);
    return 0;
}

int ftc_transport_link(struct ftc_transport *t, int listener, struct ftc_fabric *fabric)
{
    int rv = ftc_remote_queries_open(&t->queries, t->board, t->self);

    if (rv == 0)
        rv = ftc_links_open(&t->links, t->board, t->self, listener, fabric);
    if (rv != 0) {
        ftc_fabric_close(fabric);
        close(listener);
    }
    return rv;
}

struct ftc_links_count ftc_transport_count_links(const struct ftc_transport *t)
{
    return t->links ? ftc_links_count(t->links) : (struct ftc_links_count){0};
}

void ftc_transport_close(struct ftc_transport *t)
{
    ftc_links_close(t->links);
    ftc_remote_queries_close(t->queries);
    free(t->ring);
    *t = (struct ftc_transport){0};
}

bool ftc_transport_send(struct ftc_transport *t, uint32_t to, const struct ftc_message *m,
                        const struct ftc_envelope *envelope, enum ftc_failure_scheme scheme,
                        size_t value_bytes, const struct ftc_note *note)
{
    assert(to < t->board->geometry.ranks);
    assert(to != t->self);
    if (t->links && !ftc_board_is_here(t->board, to))
        return ftc_links_send(t->links, to, m, envelope, scheme, value_bytes, note);
    if (!ftc_ring_send(&t->ring[to], &t->board->geometry, m, envelope, scheme, value_bytes, note))
        return false;
    if (t->pending)
        mark_pending(t, to);
    return true;
}

static bool next_of_ring(struct ftc_transport *t, uint32_t from, struct ftc_arrival *a)
{
    const struct ftc_board_geometry *g = &t->board->geometry;

    if (!ftc_ring_has_message(&t->ring[from]))
        return false;
    a->wire = ftc_ring_peek(&t->ring[from], g, &a->bytes);
    a->from = from;
    a->note = ftc_ring_note(&t->ring[from], g);
    a->stays = true;
    return true;
}

bool ftc_transport_next_from(struct ftc_transport *t, uint32_t from, struct ftc_arrival *a)
{
    if (t->links && !ftc_board_is_here(t->board, from))
        return ftc_links_next_from(t->links, from, a);
    a->is_by_link = false;
    return next_of_ring(t, from, a);
}

static bool next_of_rings(struct ftc_transport *t, struct ftc_arrival *a)
{
    if (!a->wire)
        take_pending(t);
    else if (a->stays)
        a->from++;
    for (; find_waiting(t, &a->from); a->from++) {
        if (next_of_ring(t, a->from, a))
            return true;
        strike_out(t, a->from);
    }
    return false;
}

bool ftc_transport_next(struct ftc_transport *t, struct ftc_arrival *a)
{
    return (!a->is_by_link && next_of_rings(t, a)) || (t->links && ftc_links_next(t->links, a));
}

bool ftc_transport_look_at_links(struct ftc_transport *t)
{
    return t->links && ftc_links_look(t->links);
}

void ftc_transport_await_links(struct ftc_transport *t, bool soon)
{
    ftc_links_await(t->links, soon);
}

void ftc_transport_wake_links(const struct ftc_transport *t)
{
    if (t->links)
        ftc_links_wake(t->links);
}

bool ftc_transport_links_are_out(const struct ftc_transport *t)
{
    return ftc_links_are_out(t->links);
}

int ftc_transport_lost(const struct ftc_transport *t, int ms)
{
    return t->links ? ftc_links_lost(t->links, ms) : -1;
}

bool ftc_transport_finish(struct ftc_transport *t)
{
    return !t->links || ftc_links_finish(t->links);
}

void ftc_transport_release(struct ftc_transport *t, struct ftc_arrival *a)
{
    if (a->is_by_link) {
        ftc_links_release(t->links, a);
        return;
    }
    ftc_ring_drop(&t->ring[a->from], &t->board->geometry);
    a->stays = false;
}
