#include "tally.h"

#include <string.h>

size_t ftc_tally_bytes(int ranks)
{
    return offsetof(struct ftc_tally, who) + FTC_RANK_SET_WORDS(ranks) * sizeof(uint64_t);
}

static void add_words(struct ftc_tally *t, uint32_t flags, uint64_t left)
{
    t->flags |= flags;
    t->left = t->left > left ? t->left : left;
}

void ftc_tally_add(struct ftc_tally *t, int rank, uint32_t flags, uint64_t left)
{
    add_words(t, flags, left);
    ftc_rank_set_add(t->who, (uint32_t)rank);
}

struct ftc_tally ftc_tally_of(int rank, uint32_t flags, uint64_t left)
{
    struct ftc_tally t = {0};

    ftc_tally_add(&t, rank, flags, left);
    return t;
}

struct ftc_tally ftc_tally_read(const void *from, int ranks)
{
    struct ftc_tally t = {0};

    memcpy(&t, from, ftc_tally_bytes(ranks));
    return t;
}

void ftc_tally_join(void *into, const void *from, int ranks)
{
    struct ftc_tally a = ftc_tally_read(into, ranks), b = ftc_tally_read(from, ranks);

    add_words(&a, b.flags, b.left);
    for (size_t i = 0; i < FTC_RANK_SET_WORDS(ranks); i++)
        a.who[i] |= b.who[i];
    memcpy(into, &a, ftc_tally_bytes(ranks));
}
