#include "rank_state.h"

#include "system/clock.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Whoever comes first describes the death; readers look at it only after the state. Several may
 * come at once, and the second may enter the state while the first waits for a core: so neither
 * word is left for the other to fill. */
static void describe(struct ftc_board_rank *s, enum ftc_death_cause cause, int value,
                     uint64_t time_ns)
{
    uint64_t none = 0, never = 0;

    atomic_compare_exchange_strong(&s->death, &none, (uint64_t)cause << 32 | (uint32_t)value);
    atomic_compare_exchange_strong(&s->death_time_ns, &never, time_ns);
}

bool ftc_board_mark_failed(struct ftc_board *board, uint32_t rank, enum ftc_death_cause cause,
                           int value)
{
    struct ftc_board_rank *s = &board->shared->rank[rank];
    uint32_t state = atomic_load(&s->state);

    if (state >= FTC_RANK_FINALIZED)
        return false;
    describe(s, cause, value, ftc_clock_ns());
    do {
        if (state >= FTC_RANK_FINALIZED)
            return false;
    } while (!atomic_compare_exchange_weak(&s->state, &state, FTC_RANK_FAILED));
    atomic_fetch_add(&board->shared->deaths, 1);
    return true;
}

void ftc_board_await_death(struct ftc_board *board)
{
    _Atomic uint32_t *deaths = &board->shared->deaths;

    while (atomic_load(deaths) == 0)
        syscall(SYS_futex, deaths, FUTEX_WAIT, 0, NULL, NULL, 0);
}

void ftc_board_wake_watchers(struct ftc_board *board)
{
    syscall(SYS_futex, &board->shared->deaths, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

bool ftc_board_advance(struct ftc_board *board, uint32_t rank, enum ftc_rank_state to)
{
    _Atomic uint32_t *state = &board->shared->rank[rank].state;
    uint32_t from = atomic_load(state);

    do {
        if (from == FTC_RANK_FAILED)
            return false;
    } while (!atomic_compare_exchange_weak(state, &from, to));
    return true;
}
