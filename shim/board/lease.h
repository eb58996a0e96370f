/* lease: time until which the ranks of this host may go on, and the set of lost hosts
 * (doc/design.md, section 11).
 *
 * The library in mpiexec is the authority, which alone declares hosts lost. It grants each host a
 * lease. A host that the authority does not hear stops before it is declared lost, because its
 * ranks do not go on after the end of the lease. The agent writes the lease on the board. Each rank
 * checks it before it returns with a result, so a host that was frozen does not go on afterwards.
 */
#ifndef FTC_BOARD_LEASE_H
#define FTC_BOARD_LEASE_H

#include "rank_state.h"
#include "system/clock.h"

enum ftc_lease_terms {
    FTC_LEASE_OPEN = 0, /* not agreed on yet, in MPI_Init */
    FTC_LEASE_NONE,     /* no host is declared lost: the loss of a host ends the job */
    FTC_LEASE_AGREED,   /* the ranks of a host stop when its lease has run out */
    FTC_LEASE_IN_FORCE, /* mpiexec knows that all hosts have agreed: the job survives lost hosts */
    FTC_LEASE_ENDED,    /* this host is given up, and the others have gone on without it */
};

/* ---- this host ---- */

/* Lets the ranks of this host go on until @until_ns, CLOCK_BOOTTIME, or until an earlier call's
 * time if that is later. The lease does not count once ftc_clock_ahead_ns() has jumped away from
 * @ahead_ns, because time may have passed that no clock of this host has counted. For the agent. */
void ftc_lease_renew(struct ftc_board *board, uint64_t until_ns, int64_t ahead_ns);

/* Returns whether the two values of ftc_clock_ahead_ns() differ by more than the adjustment of
 * clocks explains within a lease. */
static inline bool ftc_lease_is_jump(int64_t ahead_ns, int64_t before_ns)
{
    const int64_t most_ns = 250000000;

    return ahead_ns - before_ns > most_ns || before_ns - ahead_ns > most_ns;
}

/* Returns whether this host has a lease that has not run out, agreed on or not. */
bool ftc_lease_is_held(const struct ftc_board *board);

/* Sets the terms on which all ranks of the job have agreed: FTC_LEASE_AGREED if each host has a
 * lease, otherwise FTC_LEASE_NONE. */
void ftc_lease_agree(struct ftc_board *board, bool is_agreed);

/* Moves agreed terms on to FTC_LEASE_IN_FORCE, when the agent has heard that from mpiexec. */
void ftc_lease_put_in_force(struct ftc_board *board);

/* Returns the terms. A rank that sees an agreement also sees the time that was granted before
 * (acquire). */
static inline enum ftc_lease_terms ftc_lease_terms(const struct ftc_board *board)
{
    return (enum ftc_lease_terms)atomic_load_explicit(&board->shared->lease_terms,
                                                      memory_order_acquire);
}

/* Returns whether the lease has run out or ended. Meanwhile no rank of this host may return with a
 * result. In a job on one host this is one load. */
static inline bool ftc_lease_is_over(const struct ftc_board *board)
{
    return ftc_board_has_other_hosts(board) && ftc_lease_terms(board) >= FTC_LEASE_AGREED &&
           (ftc_lease_terms(board) == FTC_LEASE_ENDED || !ftc_lease_is_held(board));
}

/* Makes the ranks of this host keep waiting although the lease has run out, because only mpiexec is
 * silent. The next renewal that gives the host a lease ends this. For the agent. */
void ftc_lease_await_mpiexec(struct ftc_board *board);
bool ftc_lease_awaits_mpiexec(const struct ftc_board *board);

/* Ends the lease for good: this host is given up, and its ranks stop. */
void ftc_lease_end(struct ftc_board *board);
bool ftc_lease_has_ended(const struct ftc_board *board);

/* Returns true for the one process that has to print that this host stops. */
bool ftc_lease_claim_last_words(struct ftc_board *board);

/* ---- other hosts ---- */

/* Returns for how many milliseconds a host, or a rank on it, may be out of reach before the job
 * ends. If hosts can be declared lost, this is longer than it takes to declare one lost. */
int ftc_lease_patience_ms(const struct ftc_board *board, int unreachable_ms);

/* Marks @host lost, and its ranks that have not ended dead (FTC_DEATH_HOST with @how). Returns
 * whether the host or one of its ranks was not marked before. A new agent may repeat the call. */
bool ftc_lease_lose_host(struct ftc_board *board, uint32_t host, enum ftc_host_loss how);

bool ftc_lease_is_lost(const struct ftc_board *board, uint32_t host);

/* Returns whether this host is the first that is not lost. Only that host reports facts
 * that all hosts know. */
bool ftc_lease_is_first_left(const struct ftc_board *board);

/* Returns whether this host reports the death of @rank: it is the host of @rank or, if that host is
 * lost, the first that is not lost. */
bool ftc_lease_is_announced_here(const struct ftc_board *board, uint32_t rank);

/* Notes that this host has reported the deaths on the lost host @host. Other hosts learn
 * it by an update. */
void ftc_lease_announce_loss(const struct ftc_board *board, uint32_t host);

/* Returns the set of lost hosts whose deaths this host has reported: bit i for host i. */
uint64_t ftc_lease_losses_announced(const struct ftc_board *board);

#endif
