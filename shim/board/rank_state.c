#include "rank_state.h"

#include "system/clock.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

static void futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void ftc_board_signal_update(const struct ftc_board *board)
{
    if (!ftc_board_has_other_hosts(board))
        return;
    atomic_fetch_add(&board->shared->updates, 1);
    futex_wake(&board->shared->updates);
}

uint32_t ftc_board_updates(const struct ftc_board *board)
{
    return atomic_load(&board->shared->updates);
}

void ftc_board_await_update(const struct ftc_board *board, uint32_t seen)
{
    while (ftc_board_updates(board) == seen)
        syscall(SYS_futex, &board->shared->updates, FUTEX_WAIT, seen, NULL, NULL, 0);
}

/* Enters cause and time of a death, unless they are entered. Readers use them only once the state
 * is FAILED. Two processes may declare the same death, and the second may set the state while the
 * first waits for a core. Therefore each process tries to enter both words before it sets the
 * state. */
static void describe(struct ftc_board_rank *s, enum ftc_death_cause cause, int value,
                     uint64_t time_ns)
{
    uint64_t none = 0, never = 0;

    atomic_compare_exchange_strong(&s->death, &none, (uint64_t)cause << 32 | (uint32_t)value);
    atomic_compare_exchange_strong(&s->death_time_ns, &never, time_ns);
}

/* Counts all deaths, because a process may have ended after it set the state of a dead rank and
 * before it counted the death. Returns whether there were more deaths than had been counted. */
static bool count_deaths(struct ftc_board *board)
{
    uint32_t dead = 0, counted = atomic_load(&board->shared->deaths);

    for (uint32_t rank = 0; rank < board->geometry.ranks; rank++)
        dead += ftc_board_is_dead(board, rank);
    while (counted < dead)
        if (atomic_compare_exchange_weak(&board->shared->deaths, &counted, dead))
            return true;
    return false;
}

static bool enter_failed(_Atomic uint32_t *word)
{
    uint32_t state = atomic_load(word);

    while (state < FTC_RANK_FINALIZED)
        if (atomic_compare_exchange_weak(word, &state, FTC_RANK_FAILED))
            return true;
    return false;
}

bool ftc_board_mark_failed(struct ftc_board *board, uint32_t rank, enum ftc_death_cause cause,
                           int value)
{
    return ftc_board_mark_failed_ago(board, rank, cause, value, 0);
}

bool ftc_board_mark_failed_ago(struct ftc_board *board, uint32_t rank, enum ftc_death_cause cause,
                               int value, uint64_t ago_ns)
{
    struct ftc_board_rank *s = &board->shared->rank[rank];
    bool is_new;

    if (atomic_load(&s->state) < FTC_RANK_FINALIZED)
        describe(s, cause, value, ftc_clock_ns() - ago_ns);
    is_new = enter_failed(&s->state);
    is_new |= count_deaths(board);
    if (is_new && ftc_board_is_here(board, rank))
        ftc_board_signal_update(board);
    return is_new;
}

void ftc_board_await_death(struct ftc_board *board)
{
    _Atomic uint32_t *deaths = &board->shared->deaths;

    while (atomic_load(deaths) == 0)
        syscall(SYS_futex, deaths, FUTEX_WAIT, 0, NULL, NULL, 0);
}

void ftc_board_wake_watchers(struct ftc_board *board)
{
    futex_wake(&board->shared->deaths);
}

bool ftc_board_advance(struct ftc_board *board, uint32_t rank, enum ftc_rank_state to)
{
    _Atomic uint32_t *state = &board->shared->rank[rank].state;
    uint32_t from = atomic_load(state);

    do {
        if (from == FTC_RANK_FAILED)
            return false;
    } while (!atomic_compare_exchange_weak(state, &from, to));
    if (ftc_board_is_here(board, rank))
        ftc_board_signal_update(board);
    return true;
}
