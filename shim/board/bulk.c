#include "bulk.h"

#include "engine/rounds.h"
#include "rank_state.h"
#include "system/copy.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

_Static_assert(sizeof(struct ftc_bulk_head) + FTC_BULK_WORDS * sizeof(struct ftc_bulk_place) ==
                   FTC_BULK_HEAD_BYTES,
               "the slots come next");
_Static_assert((int)FTC_BULK_SLOT_BYTES % 4096 == 0, "slots are pages");

static bool are_past_caches;

static struct {
    size_t bytes;    /* of each slot, that are in memory */
    size_t reserved; /* of all of them, from the first on */
    struct ftc_rounds_place use;
    uint32_t seq; /* of the operation whose slots are still read */
} own[FTC_BULK_WORDS];

static uint64_t owner(const struct ftc_bulk_place *p)
{
    return atomic_load_explicit(&p->communicator_id, memory_order_acquire);
}

/* The owner is the same before and after its word is read: it could have gone to another
 * communicator meanwhile. */
static bool is_in(const struct ftc_bulk_place *p, uint64_t communicator_id, uint32_t seq)
{
    return owner(p) == communicator_id &&
           atomic_load_explicit(&p->progress, memory_order_acquire) >> 32 == seq &&
           owner(p) == communicator_id;
}

/* Whoever may write to the board may have written anything. */
static int words_of(const struct ftc_board *board, uint32_t rank)
{
    uint32_t words = atomic_load_explicit(&ftc_bulk_head(board, rank)->words, memory_order_acquire);

    return words < FTC_BULK_WORDS ? (int)words : FTC_BULK_WORDS;
}

void ftc_bulk_go_past_caches(void)
{
    are_past_caches = true;
}

int ftc_bulk_find(const struct ftc_board *board, uint32_t rank, uint64_t communicator_id,
                  uint32_t seq)
{
    int words = words_of(board, rank);

    for (int i = 0; i < words; i++)
        if (is_in(ftc_bulk_place(board, rank, i), communicator_id, seq))
            return i;
    return -1;
}

/* Else lack of memory would be a signal in the middle of the data. Kernels that do not know this
 * way of asking give the pages when they are touched. */
static bool populate_slot(const struct ftc_board *board, uint32_t self, int place, int slot,
                          size_t bytes)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)ftc_bulk_slot(board, self, place, slot), before = start % page;

    /* Slots begin at 4 KiB, and pages may be larger. */
    return madvise((void *)(start - before), before + bytes, MADV_POPULATE_WRITE) == 0 ||
           (errno != ENOMEM && errno != EFAULT);
}

static bool populate(const struct ftc_board *board, uint32_t self, int place, size_t bytes)
{
    if (bytes <= own[place].bytes)
        return true;
    for (int slot = 0; slot < FTC_BULK_SLOTS; slot++)
        if (!populate_slot(board, self, place, slot, bytes))
            return false;
    own[place].bytes = bytes;
    return true;
}

bool ftc_bulk_reserve(const struct ftc_board *board, uint32_t self, int place, size_t bytes)
{
    if (bytes <= own[place].reserved)
        return true;
    if (!populate_slot(board, self, place, 0, bytes))
        return false;
    own[place].reserved = bytes;
    return true;
}

/* A place of this rank. */
struct site {
    const struct ftc_board *board;
    uint32_t self;
    int place;
};

/* It is the same before and after the word is read: @reader may take it for another operation. */
static bool shows(void *context, uint32_t reader, uint32_t *shown)
{
    const struct site *s = context;
    uint64_t id = owner(ftc_bulk_place(s->board, s->self, s->place));
    int its_place = ftc_bulk_find(s->board, reader, id, own[s->place].seq);

    if (its_place < 0)
        return false;
    *shown = ftc_bulk_read(s->board, reader, its_place);
    return ftc_bulk_find(s->board, reader, id, own[s->place].seq) == its_place;
}

static bool is_dead(void *context, uint32_t reader)
{
    return ftc_board_is_dead(((const struct site *)context)->board, reader);
}

static void look_at_readers(const struct ftc_board *board, uint32_t self, int place)
{
    static const struct ftc_rounds_world world = {.shows = shows, .is_dead = is_dead};
    struct site site = {.board = board, .self = self, .place = place};

    if (!ftc_rounds_is_free(&own[place].use, &world, &site))
        return;
    free(own[place].use.reader);
    ftc_bulk_give_back(board, self, place);
}

/* Places whose readers are through become free. */
static void look_at_left(const struct ftc_board *board, uint32_t self)
{
    int words = words_of(board, self);

    for (int place = 0; place < words; place++)
        if (own[place].use.is_left)
            look_at_readers(board, self, place);
}

static int first_free(int from, int to)
{
    for (int place = from; place < to; place++)
        if (!own[place].use.is_taken)
            return place;
    return -1;
}

int ftc_bulk_take(const struct ftc_board *board, uint32_t self, uint64_t communicator_id,
                  uint32_t seq, size_t bytes)
{
    int place;

    look_at_left(board, self);
    place = first_free(0, FTC_BULK_PLACES);
    if (place < 0 || !populate(board, self, place, bytes))
        place = first_free(FTC_BULK_PLACES, FTC_BULK_WORDS);
    if (place < 0)
        return -1;
    if (are_past_caches && place < FTC_BULK_PLACES)
        ftc_copy_set_far(place, ftc_bulk_slot(board, self, place, 0), FTC_BULK_PLACE_BYTES);
    own[place].use.is_taken = true;
    if (place >= words_of(board, self))
        atomic_store(&ftc_bulk_head(board, self)->words, (uint32_t)place + 1);
    ftc_bulk_show(board, self, place, seq, 0); /* first: nobody is to find it in another one */
    atomic_store(&ftc_bulk_place(board, self, place)->communicator_id, communicator_id);
    return place;
}

void ftc_bulk_give_back(const struct ftc_board *board, uint32_t self, int place)
{
    atomic_store(&ftc_bulk_place(board, self, place)->communicator_id, 0);
    own[place].use = (struct ftc_rounds_place){0};
}

void ftc_bulk_leave(const struct ftc_board *board, uint32_t self, int place, uint32_t seq,
                    uint32_t *readers, int count)
{
    own[place].seq = seq;
    ftc_rounds_leave(&own[place].use, readers, count);
    look_at_readers(board, self, place);
}

bool ftc_bulk_is_full(void)
{
    return first_free(0, FTC_BULK_PLACES) < 0;
}

bool ftc_bulk_is_awaited(const struct ftc_board *board, uint32_t self)
{
    bool any = false;

    look_at_left(board, self);
    if (!ftc_bulk_is_full())
        return false;
    for (int place = 0; place < FTC_BULK_PLACES; place++)
        any |= own[place].use.is_left;
    return any;
}
