#include "bulk.h"

#include <errno.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

_Static_assert(FTC_BULK_WORDS * sizeof(struct ftc_bulk_place) <= FTC_BULK_HEAD_BYTES, "a page");

static struct {
    bool taken;
    size_t bytes; /* of each slot, that are in memory */
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

int ftc_bulk_find(const struct ftc_board *board, uint32_t rank, uint64_t communicator_id,
                  uint32_t seq)
{
    for (int i = 0; i < FTC_BULK_WORDS; i++)
        if (is_in(ftc_bulk_place(board, rank, i), communicator_id, seq))
            return i;
    return -1;
}

/* Else lack of memory would be a signal in the middle of the data. Kernels that do not know this
 * way of asking give the pages when they are touched. */
static bool populate(const struct ftc_board *board, uint32_t self, int place, size_t bytes)
{
    if (bytes <= own[place].bytes)
        return true;
    for (int slot = 0; slot < FTC_BULK_SLOTS; slot++)
        if (madvise(ftc_bulk_slot(board, self, place, slot), bytes, MADV_POPULATE_WRITE) != 0 &&
            (errno == ENOMEM || errno == EFAULT))
            return false;
    own[place].bytes = bytes;
    return true;
}

static int first_free(int from, int to)
{
    for (int place = from; place < to; place++)
        if (!own[place].taken)
            return place;
    return -1;
}

int ftc_bulk_take(const struct ftc_board *board, uint32_t self, uint64_t communicator_id,
                  size_t bytes)
{
    int place = first_free(0, FTC_BULK_PLACES);

    if (place < 0 || !populate(board, self, place, bytes))
        place = first_free(FTC_BULK_PLACES, FTC_BULK_WORDS);
    if (place < 0)
        return -1;
    own[place].taken = true;
    atomic_store(&ftc_bulk_place(board, self, place)->progress, 0);
    atomic_store(&ftc_bulk_place(board, self, place)->communicator_id, communicator_id);
    return place;
}

void ftc_bulk_give_back(const struct ftc_board *board, uint32_t self, int place)
{
    atomic_store(&ftc_bulk_place(board, self, place)->communicator_id, 0);
    own[place].taken = false;
}
