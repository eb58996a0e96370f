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

_Static_assert(sizeof(struct ftc_bulk_head) + FTC_BULK_WORDS * sizeof(struct ftc_bulk_region) ==
                   FTC_BULK_HEAD_BYTES,
               "the slots come next");
_Static_assert((int)FTC_BULK_SLOT_BYTES % 4096 == 0, "slots are pages");

static bool are_past_caches;

static struct {
    size_t bytes;    /* bytes of each slot that are in memory */
    size_t reserved; /* bytes from the first slot on that are in memory (ftc_bulk_reserve()) */
    struct ftc_rounds_region use;
    uint32_t seq; /* operation whose data other ranks still read */
} own[FTC_BULK_WORDS];

static uint64_t owner(const struct ftc_bulk_region *p)
{
    return atomic_load_explicit(&p->communicator_id, memory_order_acquire);
}

/* Returns whether the region is in that operation. Reads the communicator before and after the
 * progress, because the region may go to another communicator meanwhile. */
static bool is_in(const struct ftc_bulk_region *p, uint64_t communicator_id, uint32_t seq)
{
    return owner(p) == communicator_id &&
           atomic_load_explicit(&p->progress, memory_order_acquire) >> 32 == seq &&
           owner(p) == communicator_id;
}

/* Returns the number of regions that @rank has used, at most FTC_BULK_WORDS: any process may have
 * written the number. */
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
        if (is_in(ftc_bulk_region(board, rank, i), communicator_id, seq))
            return i;
    return -1;
}

/* Gets the pages into memory. Otherwise a lack of memory would raise a signal while data are
 * copied. Kernels without MADV_POPULATE_WRITE allocate pages when they are touched. */
static bool populate_slot(const struct ftc_board *board, uint32_t self, int region, int slot,
                          size_t bytes)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)ftc_bulk_slot(board, self, region, slot), before = start % page;

    /* Slots are aligned to 4 KiB, and pages may be larger. */
    return madvise((void *)(start - before), before + bytes, MADV_POPULATE_WRITE) == 0 ||
           (errno != ENOMEM && errno != EFAULT);
}

static bool populate(const struct ftc_board *board, uint32_t self, int region, size_t bytes)
{
    if (bytes <= own[region].bytes)
        return true;
    for (int slot = 0; slot < FTC_BULK_SLOTS; slot++)
        if (!populate_slot(board, self, region, slot, bytes))
            return false;
    own[region].bytes = bytes;
    return true;
}

bool ftc_bulk_reserve(const struct ftc_board *board, uint32_t self, int region, size_t bytes)
{
    if (bytes <= own[region].reserved)
        return true;
    if (!populate_slot(board, self, region, 0, bytes))
        return false;
    own[region].reserved = bytes;
    return true;
}

/* A region of this rank. */
struct site {
    const struct ftc_board *board;
    uint32_t self;
    int region;
};

/* Finds the progress of @reader in the operation that this rank has left. Looks for the region of
 * @reader before and after reading, because @reader may take it for another operation meanwhile. */
static bool shows(void *context, uint32_t reader, uint32_t *shown)
{
    const struct site *s = context;
    uint64_t id = owner(ftc_bulk_region(s->board, s->self, s->region));
    int its_region = ftc_bulk_find(s->board, reader, id, own[s->region].seq);

    if (its_region < 0)
        return false;
    *shown = ftc_bulk_read(s->board, reader, its_region);
    return ftc_bulk_find(s->board, reader, id, own[s->region].seq) == its_region;
}

static bool is_dead(void *context, uint32_t reader)
{
    return ftc_board_is_dead(((const struct site *)context)->board, reader);
}

static void look_at_readers(const struct ftc_board *board, uint32_t self, int region)
{
    static const struct ftc_rounds_world world = {.shows = shows, .is_dead = is_dead};
    struct site site = {.board = board, .self = self, .region = region};

    if (!ftc_rounds_is_free(&own[region].use, &world, &site))
        return;
    free(own[region].use.reader);
    ftc_bulk_give_back(board, self, region);
}

/* Frees the regions that have been left and whose readers have read. */
static void look_at_left(const struct ftc_board *board, uint32_t self)
{
    int words = words_of(board, self);

    for (int region = 0; region < words; region++)
        if (own[region].use.is_left)
            look_at_readers(board, self, region);
}

static int first_free(int from, int to)
{
    for (int region = from; region < to; region++)
        if (!own[region].use.is_taken)
            return region;
    return -1;
}

int ftc_bulk_take(const struct ftc_board *board, uint32_t self, uint64_t communicator_id,
                  uint32_t seq, size_t bytes)
{
    int region;

    look_at_left(board, self);
    region = first_free(0, FTC_BULK_REGIONS);
    if (region < 0 || !populate(board, self, region, bytes))
        region = first_free(FTC_BULK_REGIONS, FTC_BULK_WORDS);
    if (region < 0)
        return -1;
    if (are_past_caches && region < FTC_BULK_REGIONS)
        ftc_copy_set_far(region, ftc_bulk_slot(board, self, region, 0), FTC_BULK_REGION_BYTES);
    own[region].use.is_taken = true;
    if (region >= words_of(board, self))
        atomic_store(&ftc_bulk_head(board, self)->words, (uint32_t)region + 1);
    ftc_bulk_show(board, self, region, seq, 0); /* before other ranks find the region by its id */
    atomic_store(&ftc_bulk_region(board, self, region)->communicator_id, communicator_id);
    return region;
}

void ftc_bulk_give_back(const struct ftc_board *board, uint32_t self, int region)
{
    atomic_store(&ftc_bulk_region(board, self, region)->communicator_id, 0);
    own[region].use = (struct ftc_rounds_region){0};
}

void ftc_bulk_leave(const struct ftc_board *board, uint32_t self, int region, uint32_t seq,
                    uint32_t *readers, int count)
{
    own[region].seq = seq;
    ftc_rounds_leave(&own[region].use, readers, count);
    look_at_readers(board, self, region);
}

bool ftc_bulk_is_full(void)
{
    return first_free(0, FTC_BULK_REGIONS) < 0;
}

bool ftc_bulk_is_awaited(const struct ftc_board *board, uint32_t self)
{
    bool any = false;

    look_at_left(board, self);
    if (!ftc_bulk_is_full())
        return false;
    for (int region = 0; region < FTC_BULK_REGIONS; region++)
        any |= own[region].use.is_left;
    return any;
}
