#include "trace.h"

/* Number of events in a part of a ring. It falls with the number of ranks, to bound the size of the
 * rings and of the file. One operation of 4096 ranks has some 60 events per rank, with f = 8 some
 * 100. */
enum { EVENTS_OF_ALL = 16384, EVENTS_MIN = 256, EVENTS_MAX = 1024 };

/* Head of a ring in the segment. The events of all parts follow it. */
struct ring {
    _Atomic uint64_t start_ticks, start_ns; /* start_ns 0: not open */
    _Atomic uint32_t are_cycles;
    _Atomic uint32_t has_ended;
    _Alignas(64) _Atomic uint64_t count[FTC_TRACE_PARTS]; /* events ever written to each part */
};

static size_t ring_bytes(size_t events)
{
    return sizeof(struct ring) +
           FTC_TRACE_PARTS * events * FTC_TRACE_EVENT_WORDS * sizeof(uint64_t);
}

uint32_t ftc_trace_bytes(uint32_t ranks)
{
    size_t events = EVENTS_MAX;

    while (events > EVENTS_MIN && events * ranks > EVENTS_OF_ALL)
        events /= 2;
    return (uint32_t)ring_bytes(events);
}

/* Returns the number of events in a part, or 0 if there are no rings. */
static size_t events_of(const struct ftc_board *board)
{
    size_t events = EVENTS_MAX;

    while (events >= EVENTS_MIN && ring_bytes(events) != board->geometry.trace_bytes)
        events /= 2;
    return events >= EVENTS_MIN ? events : 0;
}

bool ftc_trace_is_on(const struct ftc_board *board)
{
    return events_of(board) > 0;
}

static struct ring *ring_of(const struct ftc_board *board, uint32_t rank)
{
    return ftc_board_trace(board, rank);
}

static _Atomic uint64_t *events_at(struct ring *ring, size_t part, size_t events)
{
    return (_Atomic uint64_t *)(void *)(ring + 1) + part * events * FTC_TRACE_EVENT_WORDS;
}

/* ---- the writing rank ---- */

static void use_part(struct ftc_trace *t, uint32_t part)
{
    struct ring *ring = t->ring;

    t->part = part;
    t->count = &ring->count[part];
    t->events = events_at(ring, part, t->mask + 1);
    t->written = 0;
}

void ftc_trace_open(struct ftc_trace *t, const struct ftc_board *board, uint32_t self)
{
    struct ring *ring = ring_of(board, self);
    struct ftc_moment start;

    *t = (struct ftc_trace){
        .ring = ring, .mask = events_of(board) - 1, .are_cycles = ftc_ticks_are_cycles()};
    use_part(t, 0);
    start = ftc_ticks_now(t->are_cycles);
    atomic_store(&ring->are_cycles, t->are_cycles);
    atomic_store(&ring->start_ticks, start.ticks);
    atomic_store(&ring->start_ns, start.ns);
}

void ftc_trace_keep(struct ftc_trace *t)
{
    if (t->part + 1 < FTC_TRACE_PARTS)
        use_part(t, t->part + 1);
}

void ftc_trace_end(struct ftc_trace *t)
{
    atomic_store(&((struct ring *)t->ring)->has_ended, 1);
}

/* ---- readers ---- */

size_t ftc_trace_capacity(const struct ftc_board *board)
{
    return FTC_TRACE_PARTS * events_of(board);
}

static struct ftc_trace_event event_at(const _Atomic uint64_t *place)
{
    uint64_t word[FTC_TRACE_EVENT_WORDS];

    for (int i = 0; i < FTC_TRACE_EVENT_WORDS; i++)
        word[i] = atomic_load_explicit(&place[i], memory_order_relaxed);
    return (struct ftc_trace_event){.ticks = word[0],
                                    .communicator_id = word[1],
                                    .seq = (uint32_t)word[2],
                                    .number = (uint32_t)(word[2] >> 32),
                                    .peer = (uint16_t)word[3],
                                    .attempt = (uint16_t)(word[3] >> 16),
                                    .kind = (uint8_t)(word[3] >> 32),
                                    .what = (uint8_t)(word[3] >> 40)};
}

/* Copies the events of one part, without those that their rank may have overwritten meanwhile.
 * Returns their number. */
static size_t read_part(struct ring *ring, size_t part, size_t events, struct ftc_trace_event *to)
{
    uint64_t count = atomic_load_explicit(&ring->count[part], memory_order_acquire);
    uint64_t first = count > events ? count - events : 0, valid;
    const _Atomic uint64_t *from = events_at(ring, part, events);
    size_t copied = (size_t)(count - first), lost;

    for (uint64_t i = first; i < count; i++)
        to[i - first] = event_at(&from[(i & (events - 1)) * FTC_TRACE_EVENT_WORDS]);
    atomic_thread_fence(memory_order_acquire);
    valid = atomic_load_explicit(&ring->count[part], memory_order_relaxed);
    if (valid + 1 <= first + events)
        return copied;
    lost = valid + 1 - events - first < copied ? (size_t)(valid + 1 - events - first) : copied;
    __builtin_memmove(to, to + lost, (copied - lost) * sizeof *to);
    return copied - lost;
}

size_t ftc_trace_read(const struct ftc_board *board, uint32_t rank, struct ftc_trace_event *event)
{
    size_t events = events_of(board), count = 0;

    for (size_t part = 0; part < FTC_TRACE_PARTS && events > 0; part++)
        count += read_part(ring_of(board, rank), part, events, event + count);
    return count;
}

bool ftc_trace_start(const struct ftc_board *board, uint32_t rank, struct ftc_moment *start,
                     bool *are_cycles)
{
    struct ring *ring = ring_of(board, rank);

    start->ns = atomic_load(&ring->start_ns);
    start->ticks = atomic_load(&ring->start_ticks);
    *are_cycles = atomic_load(&ring->are_cycles) != 0;
    return start->ns != 0;
}

bool ftc_trace_has_ended(const struct ftc_board *board, uint32_t rank)
{
    return atomic_load(&ring_of(board, rank)->has_ended) != 0;
}

int ftc_trace_file_number(const struct ftc_board *board)
{
    return (int)atomic_load(&board->shared->trace_file) - 1;
}

void ftc_trace_set_file_number(const struct ftc_board *board, int number)
{
    atomic_store(&board->shared->trace_file, (uint32_t)number + 1);
}
