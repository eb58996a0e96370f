#include "lease.h"

/* Longest time from the end of unreachable_ms until mpiexec has declared a host lost. */
enum { DECLARED_MS = 2000 };

void ftc_lease_renew(struct ftc_board *board, uint64_t until_ns, int64_t ahead_ns)
{
    _Atomic uint64_t *word = &board->shared->lease_until_ns;
    uint64_t seen = atomic_load(word);

    while (seen < until_ns && !atomic_compare_exchange_weak(word, &seen, until_ns))
        ;
    atomic_store(&board->shared->lease_ahead_ns, ahead_ns);
    if (ftc_lease_is_held(board))
        atomic_store(&board->shared->lease_is_awaited, 0);
}

void ftc_lease_await_mpiexec(struct ftc_board *board)
{
    atomic_store(&board->shared->lease_is_awaited, 1);
}

bool ftc_lease_awaits_mpiexec(const struct ftc_board *board)
{
    return atomic_load(&board->shared->lease_is_awaited) != 0;
}

bool ftc_lease_is_held(const struct ftc_board *board)
{
    return ftc_clock_boot_ns() <= atomic_load(&board->shared->lease_until_ns) &&
           !ftc_lease_is_jump(ftc_clock_ahead_ns(), atomic_load(&board->shared->lease_ahead_ns));
}

/* Sets the terms only if they are open: each rank calls this, and the agent may have put the lease
 * in force meanwhile. */
void ftc_lease_agree(struct ftc_board *board, bool is_agreed)
{
    uint32_t open = FTC_LEASE_OPEN;

    atomic_compare_exchange_strong(&board->shared->lease_terms, &open,
                                   is_agreed ? FTC_LEASE_AGREED : FTC_LEASE_NONE);
}

void ftc_lease_put_in_force(struct ftc_board *board)
{
    uint32_t agreed = FTC_LEASE_AGREED;

    atomic_compare_exchange_strong(&board->shared->lease_terms, &agreed, FTC_LEASE_IN_FORCE);
}

/* Ends the lease if it is agreed on. */
void ftc_lease_end(struct ftc_board *board)
{
    uint32_t terms = atomic_load(&board->shared->lease_terms);

    while (terms >= FTC_LEASE_AGREED && terms < FTC_LEASE_ENDED &&
           !atomic_compare_exchange_weak(&board->shared->lease_terms, &terms, FTC_LEASE_ENDED))
        ;
}

bool ftc_lease_has_ended(const struct ftc_board *board)
{
    return ftc_lease_terms(board) == FTC_LEASE_ENDED;
}

bool ftc_lease_claim_last_words(struct ftc_board *board)
{
    return atomic_exchange(&board->shared->lease_end_announced, 1) == 0;
}

int ftc_lease_patience_ms(const struct ftc_board *board, int unreachable_ms)
{
    return ftc_lease_terms(board) >= FTC_LEASE_AGREED ? 2 * unreachable_ms + DECLARED_MS
                                                      : unreachable_ms;
}

static uint64_t bit_of(uint32_t host)
{
    return 1ull << (host % FTC_BOARD_HOSTS_MAX);
}
_Static_assert(FTC_BOARD_HOSTS_MAX <= 64, "a set of hosts is a word");

bool ftc_lease_lose_host(struct ftc_board *board, uint32_t host, enum ftc_host_loss how)
{
    bool is_new;

    if (host > board->geometry.other_hosts || host == board->geometry.host)
        return false;
    is_new = (atomic_fetch_or(&board->shared->lost_hosts, bit_of(host)) & bit_of(host)) == 0;
    for (uint32_t i = 0; i < board->geometry.ranks; i++)
        if (ftc_board_host(board, i) == host)
            is_new |= ftc_board_mark_failed(board, i, FTC_DEATH_HOST, (int)how);
    return is_new;
}

bool ftc_lease_is_lost(const struct ftc_board *board, uint32_t host)
{
    return (atomic_load(&board->shared->lost_hosts) & bit_of(host)) != 0;
}

static uint32_t first_left(const struct ftc_board *board)
{
    uint32_t host = 0;

    while (host < board->geometry.other_hosts && ftc_lease_is_lost(board, host))
        host++;
    return host;
}

bool ftc_lease_is_first_left(const struct ftc_board *board)
{
    return first_left(board) == board->geometry.host;
}

bool ftc_lease_is_announced_here(const struct ftc_board *board, uint32_t rank)
{
    return ftc_board_is_here(board, rank) ||
           (ftc_lease_is_lost(board, ftc_board_host(board, rank)) &&
            ftc_lease_is_first_left(board));
}

void ftc_lease_announce_loss(const struct ftc_board *board, uint32_t host)
{
    if ((atomic_fetch_or(&board->shared->losses_announced, bit_of(host)) & bit_of(host)) == 0)
        ftc_board_signal_update(board);
}

uint64_t ftc_lease_losses_announced(const struct ftc_board *board)
{
    return atomic_load(&board->shared->losses_announced);
}
