#include "round_status.h"

#include <string.h>

size_t ftc_round_status_bytes(int ranks)
{
    return offsetof(struct ftc_round_status, who) + FTC_RANK_SET_WORDS(ranks) * sizeof(uint64_t);
}

static void add_words(struct ftc_round_status *t, uint32_t flags, uint64_t left)
{
    t->flags |= flags;
    t->left = t->left > left ? t->left : left;
}

void ftc_round_status_add(struct ftc_round_status *t, int rank, uint32_t flags, uint64_t left)
{
    add_words(t, flags, left);
    ftc_rank_set_add(t->who, (uint32_t)rank);
}

struct ftc_round_status ftc_round_status_of(int rank, uint32_t flags, uint64_t left)
{
    struct ftc_round_status t = {0};

    ftc_round_status_add(&t, rank, flags, left);
    return t;
}

struct ftc_round_status ftc_round_status_read(const void *from, int ranks)
{
    struct ftc_round_status t = {0};

    memcpy(&t, from, ftc_round_status_bytes(ranks));
    return t;
}

void ftc_round_status_join(void *into, const void *from, int ranks)
{
    struct ftc_round_status a = ftc_round_status_read(into, ranks),
                            b = ftc_round_status_read(from, ranks);

    add_words(&a, b.flags, b.left);
    for (size_t i = 0; i < FTC_RANK_SET_WORDS(ranks); i++)
        a.who[i] |= b.who[i];
    memcpy(into, &a, ftc_round_status_bytes(ranks));
}
