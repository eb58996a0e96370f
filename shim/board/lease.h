/* lease: until when the ranks of this host may go on, and which hosts are lost (doc/design.md,
 * section 11).
 *
 * An authority outside of all hosts, the library in mpiexec, declares hosts lost. A host that it
 * does not hear stops before that: its ranks may go on no longer than they have been allowed to.
 * The word of it is the agent's, and every rank looks at it before it returns with a result, so
 * that a host that was frozen does not go on afterwards. */
#ifndef FTC_BOARD_LEASE_H
#define FTC_BOARD_LEASE_H

#include "rank_state.h"
#include "system/clock.h"

enum ftc_lease_terms {
    FTC_LEASE_OPEN = 0, /* not agreed on: MPI_Init */
    FTC_LEASE_NONE,     /* nobody declares hosts lost: a lost one ends the job */
    FTC_LEASE_AGREED,   /* the ranks of a host stop when it has run out, */
    FTC_LEASE_IN_FORCE, /* and mpiexec knows that of all hosts: it goes on without a lost one */
    FTC_LEASE_ENDED,    /* the others have gone on without this host */
};

/* ---- this host ---- */

/* The agent: its ranks may go on until @until_ns, CLOCK_BOOTTIME. It never becomes earlier. The
 * lease does not count once ftc_clock_ahead_ns() has jumped away from @ahead_ns: time may have
 * passed that no clock of this host has counted. */
void ftc_lease_renew(struct ftc_board *board, uint64_t until_ns, int64_t ahead_ns);

/* Returns whether the two differ by more than clocks that are adjusted do within a lease. */
static inline bool ftc_lease_is_jump(int64_t ahead_ns, int64_t before_ns)
{
    const int64_t most_ns = 250000000;

    return ahead_ns - before_ns > most_ns || before_ns - ahead_ns > most_ns;
}

/* Whether there is one that has not run out; before it is agreed on, too. */
bool ftc_lease_is_held(const struct ftc_board *board);

/* All ranks of the job have agreed that each host has one, or that none counts. */
void ftc_lease_agree(struct ftc_board *board, bool is_agreed);

/* The agent has heard that mpiexec knows it. */
void ftc_lease_put_in_force(struct ftc_board *board);

/* Acquires: a rank that sees an agreement sees the time that was granted before it. */
static inline enum ftc_lease_terms ftc_lease_terms(const struct ftc_board *board)
{
    return (enum ftc_lease_terms)atomic_load_explicit(&board->shared->lease_terms,
                                                      memory_order_acquire);
}

/* True while the ranks of this host may not return with a result: it has run out, or is at its end.
 * On one host one load. */
static inline bool ftc_lease_is_over(const struct ftc_board *board)
{
    return ftc_board_has_other_hosts(board) && ftc_lease_terms(board) >= FTC_LEASE_AGREED &&
           (ftc_lease_terms(board) == FTC_LEASE_ENDED || !ftc_lease_is_held(board));
}

/* The agent: the lease has run out, but it is mpiexec that is silent, so the ranks wait on. That
 * ends when the lease is renewed. */
void ftc_lease_await_mpiexec(struct ftc_board *board);
bool ftc_lease_awaits_mpiexec(const struct ftc_board *board);

/* It is not renewed any more: this host is given up, and its ranks end. */
void ftc_lease_end(struct ftc_board *board);
bool ftc_lease_has_ended(const struct ftc_board *board);

/* True for the one that is to say that this host stops. */
bool ftc_lease_claim_last_words(struct ftc_board *board);

/* ---- others ---- */

/* How long a host, or a rank on it, that is not declared lost may be out of reach until the job
 * ends: longer than it takes until it is declared so, if somebody does that. */
int ftc_lease_patience_ms(const struct ftc_board *board, int unreachable_ms);

/* @host is lost: all of its ranks that have not ended are dead, as of FTC_DEATH_HOST with @how.
 * True if that is new of the host or of one of them. An agent that has taken over may say it again.
 */
bool ftc_lease_lose_host(struct ftc_board *board, uint32_t host, enum ftc_host_loss how);

bool ftc_lease_is_lost(const struct ftc_board *board, uint32_t host);

/* Whether this host is the first that is not lost: it speaks for all where each knows the same. */
bool ftc_lease_is_first_left(const struct ftc_board *board);

/* Whether the death of @rank is told here: on its own host, or in its place on the first that is
 * not lost. */
bool ftc_lease_is_told_here(const struct ftc_board *board, uint32_t rank);

/* The deaths on @host, which is lost, are told here, which others hear; and the set of the hosts of
 * which they are. */
void ftc_lease_tell_loss(const struct ftc_board *board, uint32_t host);
uint64_t ftc_lease_losses_told(const struct ftc_board *board);

#endif
