#include "telling.h"

#include "rank_state.h"

#include <time.h>

/* The word of a matter: who tells it, 0 if nobody does, and the last number that was told. */
enum { TELLER_SHIFT = 32, IS_RANK = 1u << 15 };
enum { LINE_TRIES = 1000, LINE_PAUSE_NS = 100000 };
_Static_assert((int)FTC_BOARD_RANKS_MAX < (int)IS_RANK, "a rank and one more fit below the bit");

static _Atomic uint64_t *word_of(const struct ftc_board *board, const struct ftc_matter *matter)
{
    switch (matter->kind) {
    case FTC_MATTER_DEATH:
        return &board->shared->rank[matter->rank].told;
    case FTC_MATTER_RECOVERY:
        return &board->shared->recovery_told;
    case FTC_MATTER_LINE:
        return &board->shared->line_told;
    case FTC_MATTER_TRACE:
        return &board->shared->trace_told;
    default:
        return &board->shared->report_told;
    }
}

static uint32_t code_of(const struct ftc_teller *teller)
{
    return (teller->rank + 1) | (teller->is_rank ? IS_RANK : 0);
}

static uint32_t teller_in(uint64_t word)
{
    return (uint32_t)(word >> TELLER_SHIFT);
}

static bool is_at_it(const struct ftc_board *board, uint32_t code)
{
    uint32_t rank = (code & ~IS_RANK) - 1;

    if (code == 0 || rank >= board->geometry.ranks)
        return false;
    return code & IS_RANK ? !ftc_board_is_dead(board, rank)
                          : !ftc_lifeline_is_unguarded(ftc_board_lifeline(board, rank));
}

bool ftc_telling_claim(const struct ftc_board *board, const struct ftc_matter *matter,
                       const struct ftc_teller *self)
{
    _Atomic uint64_t *word = word_of(board, matter);
    uint64_t seen = atomic_load(word), mine = (uint64_t)code_of(self) << TELLER_SHIFT;

    do {
        if ((uint32_t)seen >= matter->number || is_at_it(board, teller_in(seen)))
            return false;
    } while (!atomic_compare_exchange_weak(word, &seen, mine | (uint32_t)seen));
    return true;
}

/* Meanwhile other hosts may have told more. */
static uint64_t told_in(uint64_t word, const struct ftc_matter *matter)
{
    return (uint32_t)word > matter->number ? (uint32_t)word : matter->number;
}

void ftc_telling_end(const struct ftc_board *board, const struct ftc_matter *matter,
                     const struct ftc_teller *self)
{
    _Atomic uint64_t *word = word_of(board, matter);
    uint64_t seen = atomic_load(word);

    while (teller_in(seen) == code_of(self) &&
           !atomic_compare_exchange_weak(word, &seen, told_in(seen, matter)))
        ;
    ftc_board_ring_news(board);
}

void ftc_telling_begin_line(const struct ftc_board *board, const struct ftc_teller *self)
{
    const struct ftc_matter line = {.kind = FTC_MATTER_LINE, .number = 1};

    for (int i = 0; i < LINE_TRIES && !ftc_telling_claim(board, &line, self); i++)
        nanosleep(&(struct timespec){.tv_nsec = LINE_PAUSE_NS}, NULL);
}

void ftc_telling_end_line(const struct ftc_board *board, const struct ftc_teller *self)
{
    uint64_t mine = (uint64_t)code_of(self) << TELLER_SHIFT;

    atomic_compare_exchange_strong(&board->shared->line_told, &mine, 0);
}

void ftc_telling_is_elsewhere(const struct ftc_board *board, const struct ftc_matter *matter)
{
    uint64_t untold = 0;

    atomic_compare_exchange_strong(word_of(board, matter), &untold, matter->number);
}

bool ftc_telling_is_done(const struct ftc_board *board, const struct ftc_matter *matter)
{
    return (uint32_t)atomic_load(word_of(board, matter)) >= matter->number;
}

/* A number that its drawer could not keep is lost, and the lines are the fewer. */
uint32_t ftc_telling_number(const struct ftc_board *board, uint32_t rank)
{
    _Atomic uint32_t *number = &board->shared->rank[rank].notice;
    uint32_t none = 0, drawn;

    if (atomic_load(number) != 0)
        return atomic_load(number);
    drawn = atomic_fetch_add(&board->shared->notices, 1) + 1;
    return atomic_compare_exchange_strong(number, &none, drawn) ? drawn : none;
}

uint32_t ftc_telling_number_of_recovery(const struct ftc_board *board)
{
    return atomic_fetch_add(&board->shared->recoveries, 1) + 1;
}
