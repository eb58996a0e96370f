#include "presence.h"

#include "directory.h"
#include "rank_state.h"
#include "system/cores.h"

enum ftc_presence ftc_presence_of(const struct ftc_board *board, uint32_t rank)
{
    uint32_t presence = atomic_load(&board->shared->rank[rank].presence);

    return presence < FTC_PRESENCE_PREPARED ? (enum ftc_presence)presence : FTC_PRESENCE_PREPARED;
}

void ftc_presence_show(struct ftc_board *board, uint32_t self, enum ftc_presence presence)
{
    atomic_store(&board->shared->rank[self].presence, presence);
}

void ftc_presence_count(struct ftc_board *board, uint32_t rank, bool prepared)
{
    uint32_t not_yet = FTC_COUNTED_NOT;

    if (!atomic_compare_exchange_strong(&board->shared->rank[rank].counted, &not_yet,
                                        prepared ? FTC_COUNTED_PREPARED : FTC_COUNTED_REFUSED))
        return;
    atomic_fetch_add(prepared ? &board->shared->ready : &board->shared->refused, 1);
    if (ftc_board_is_here(board, rank))
        ftc_board_signal_update(board);
}

enum ftc_counted ftc_presence_counted(const struct ftc_board *board, uint32_t rank)
{
    uint32_t counted = atomic_load(&board->shared->rank[rank].counted);

    return counted <= FTC_COUNTED_REFUSED ? (enum ftc_counted)counted : FTC_COUNTED_REFUSED;
}

bool ftc_presence_have_all(const struct ftc_board *board, uint32_t *refused)
{
    uint32_t ready = atomic_load(&board->shared->ready);

    *refused = atomic_load(&board->shared->refused);
    return ready + *refused >= board->geometry.ranks;
}

bool ftc_presence_are_all_ready(const struct ftc_board *board)
{
    return atomic_load(&board->shared->ready) >= board->geometry.ranks;
}

void ftc_presence_add_own_cores(struct ftc_board *board)
{
    uint64_t own[FTC_CORES_WORDS];

    if (!ftc_cores_may_use(own))
        return;
    for (int i = 0; i < FTC_CORES_WORDS; i++)
        if (own[i] != 0)
            atomic_fetch_or(&board->shared->cores[i], own[i]);
}

static int count_cores(const struct ftc_board *board)
{
    int count = 0;

    for (int i = 0; i < FTC_CORES_WORDS; i++)
        count += __builtin_popcountll(atomic_load(&board->shared->cores[i]));
    return count;
}

bool ftc_presence_is_crowded(const struct ftc_board *board)
{
    return (int)ftc_board_count_here(board) > count_cores(board);
}
