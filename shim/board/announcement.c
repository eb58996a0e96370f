#include "announcement.h"

#include "rank_state.h"

#include <time.h>

/* Layout of the word of an announcement: the claimant or 0 in the upper half, the last number that
 * was announced in the lower half. */
enum { ANNOUNCER_SHIFT = 32, IS_RANK = 1u << 15 };
enum { LINE_TRIES = 1000, LINE_PAUSE_NS = 100000 };
_Static_assert((int)FTC_BOARD_RANKS_MAX < (int)IS_RANK, "a rank and one more fit below the bit");

static _Atomic uint64_t *word_of(const struct ftc_board *board,
                                 const struct ftc_announcement *announcement)
{
    switch (announcement->kind) {
    case FTC_ANNOUNCEMENT_DEATH:
        return &board->shared->rank[announcement->rank].announced;
    case FTC_ANNOUNCEMENT_RECOVERY:
        return &board->shared->recovery_announced;
    case FTC_ANNOUNCEMENT_LINE:
        return &board->shared->line_announced;
    case FTC_ANNOUNCEMENT_TRACE:
        return &board->shared->trace_announced;
    default:
        return &board->shared->report_announced;
    }
}

static uint32_t code_of(const struct ftc_announcer *announcer)
{
    return (announcer->rank + 1) | (announcer->is_rank ? IS_RANK : 0);
}

static uint32_t announcer_in(uint64_t word)
{
    return (uint32_t)(word >> ANNOUNCER_SHIFT);
}

static bool is_at_it(const struct ftc_board *board, uint32_t code)
{
    uint32_t rank = (code & ~IS_RANK) - 1;

    if (code == 0 || rank >= board->geometry.ranks)
        return false;
    return code & IS_RANK ? !ftc_board_is_dead(board, rank)
                          : !ftc_lifeline_is_unguarded(ftc_board_lifeline(board, rank));
}

bool ftc_announcement_claim(const struct ftc_board *board,
                            const struct ftc_announcement *announcement,
                            const struct ftc_announcer *self)
{
    _Atomic uint64_t *word = word_of(board, announcement);
    uint64_t seen = atomic_load(word), mine = (uint64_t)code_of(self) << ANNOUNCER_SHIFT;

    do {
        if ((uint32_t)seen >= announcement->number || is_at_it(board, announcer_in(seen)))
            return false;
    } while (!atomic_compare_exchange_weak(word, &seen, mine | (uint32_t)seen));
    return true;
}

/* Returns the last number that is announced now. Other hosts may have announced a higher one
 * meanwhile. */
static uint64_t announced_in(uint64_t word, const struct ftc_announcement *announcement)
{
    return (uint32_t)word > announcement->number ? (uint32_t)word : announcement->number;
}

void ftc_announcement_end(const struct ftc_board *board,
                          const struct ftc_announcement *announcement,
                          const struct ftc_announcer *self)
{
    _Atomic uint64_t *word = word_of(board, announcement);
    uint64_t seen = atomic_load(word);

    while (announcer_in(seen) == code_of(self) &&
           !atomic_compare_exchange_weak(word, &seen, announced_in(seen, announcement)))
        ;
    ftc_board_signal_update(board);
}

void ftc_announcement_begin_line(const struct ftc_board *board, const struct ftc_announcer *self)
{
    const struct ftc_announcement line = {.kind = FTC_ANNOUNCEMENT_LINE, .number = 1};

    for (int i = 0; i < LINE_TRIES && !ftc_announcement_claim(board, &line, self); i++)
        nanosleep(&(struct timespec){.tv_nsec = LINE_PAUSE_NS}, NULL);
}

void ftc_announcement_end_line(const struct ftc_board *board, const struct ftc_announcer *self)
{
    uint64_t mine = (uint64_t)code_of(self) << ANNOUNCER_SHIFT;

    atomic_compare_exchange_strong(&board->shared->line_announced, &mine, 0);
}

void ftc_announcement_is_elsewhere(const struct ftc_board *board,
                                   const struct ftc_announcement *announcement)
{
    uint64_t unannounced = 0;

    atomic_compare_exchange_strong(word_of(board, announcement), &unannounced,
                                   announcement->number);
}

bool ftc_announcement_is_done(const struct ftc_board *board,
                              const struct ftc_announcement *announcement)
{
    return (uint32_t)atomic_load(word_of(board, announcement)) >= announcement->number;
}

/* Draws a number if the death has none. If another process stores its number first, this one stays
 * unused. */
uint32_t ftc_announcement_number(const struct ftc_board *board, uint32_t rank)
{
    _Atomic uint32_t *number = &board->shared->rank[rank].notice;
    uint32_t none = 0, drawn;

    if (atomic_load(number) != 0)
        return atomic_load(number);
    drawn = atomic_fetch_add(&board->shared->notices, 1) + 1;
    return atomic_compare_exchange_strong(number, &none, drawn) ? drawn : none;
}

uint32_t ftc_announcement_number_of_recovery(const struct ftc_board *board)
{
    return atomic_fetch_add(&board->shared->recoveries, 1) + 1;
}
