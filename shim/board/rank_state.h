/* rank_state: who a rank is, how far its life has come, and how many have died.
 *
 * What waiting ranks look at in each turn is one load. */
#ifndef FTC_BOARD_RANK_STATE_H
#define FTC_BOARD_RANK_STATE_H

#include "directory.h"

/* The life of a rank. A rank only moves down this list; FINALIZED and FAILED are final. */
enum ftc_rank_state {
    FTC_RANK_STARTING = 0, /* MPI_Init has not returned */
    FTC_RANK_RUNNING,      /* protected: its death is tolerated */
    FTC_RANK_FINALIZED,    /* MPI_Finalize returned: it owes nobody a message any more */
    FTC_RANK_FAILED,       /* fail-stop: it sends nothing more, whatever it does */
};

enum ftc_death_cause {
    FTC_DEATH_NONE = 0,
    FTC_DEATH_SIGNAL,    /* value: signal number */
    FTC_DEATH_EXIT,      /* value: exit status, without MPI_Finalize */
    FTC_DEATH_SUSPECTED, /* value: rank that took it for dead (monitor = timeout) */
    FTC_DEATH_HOST,      /* value: enum ftc_host_loss, of its host (lease.h) */
};

/* How a host was lost. */
enum ftc_host_loss {
    FTC_HOST_ENDED = 1, /* all processes of the job there have ended, or its power was cut */
    FTC_HOST_SILENT,    /* it was not heard, and has stopped, if it lives */
};

/* Tells those who wait for it, in ftc_board_await_news(), that there is something that other hosts
 * have to know: a state, a death, how far a rank has come. Nothing is done if there are none. */
void ftc_board_ring_news(const struct ftc_board *board);

/* How much there was so far, and a sleep until it is more than @seen. */
uint32_t ftc_board_news(const struct ftc_board *board);
void ftc_board_await_news(const struct ftc_board *board, uint32_t seen);

/* Declares @rank dead unless it is FINALIZED or dead already; true if this call did it, or has
 * counted it in the place of one that ended before it could. */
bool ftc_board_mark_failed(struct ftc_board *board, uint32_t rank, enum ftc_death_cause cause,
                           int value);

/* The same for one that was @ago_ns ago, on another host. */
bool ftc_board_mark_failed_ago(struct ftc_board *board, uint32_t rank, enum ftc_death_cause cause,
                               int value, uint64_t ago_ns);

/* Sleeps until ftc_board_wake_watchers() after a death. The two are apart from the declaration
 * because a rank that makes it is on its way to a result: to wake a thread for each rank then, on
 * cores that all ranks share, was measured to be a third of the time until 16 ranks on 2 cores had
 * it. */
void ftc_board_await_death(struct ftc_board *board);
void ftc_board_wake_watchers(struct ftc_board *board);

/* Moves the caller on; false if somebody has declared it dead in the meantime. */
bool ftc_board_advance(struct ftc_board *board, uint32_t rank, enum ftc_rank_state state);

static inline enum ftc_rank_state ftc_board_state(const struct ftc_board *board, uint32_t rank)
{
    uint32_t state = atomic_load_explicit(&board->shared->rank[rank].state, memory_order_acquire);

    return state <= FTC_RANK_FAILED ? (enum ftc_rank_state)state : FTC_RANK_FAILED;
}

/* ---- deaths ---- */

/* Grows with each; whoever sees a number sees the states of that many dead. */
static inline uint32_t ftc_board_deaths(const struct ftc_board *board)
{
    return atomic_load_explicit(&board->shared->deaths, memory_order_acquire);
}

/* The same number, for calls that have to be fast before they know a board. */
static inline const _Atomic uint32_t *ftc_board_deaths_word(const struct ftc_board *board)
{
    return &board->shared->deaths;
}

/* Without order: nothing may be concluded from it but that it is worth a look. */
static inline bool ftc_board_is_anyone_dead(const struct ftc_board *board)
{
    return atomic_load_explicit(&board->shared->deaths, memory_order_relaxed) != 0;
}

static inline bool ftc_board_is_dead(const struct ftc_board *board, uint32_t rank)
{
    return ftc_board_state(board, rank) == FTC_RANK_FAILED;
}

/* ---- the rank ---- */

/* The caller tells who it is. */
static inline void ftc_board_introduce(struct ftc_board *board, uint32_t rank, int pid)
{
    atomic_store(&board->shared->rank[rank].pid, pid);
}

/* Of a rank of this host; 0 of another, where the number means nothing here. */
static inline int ftc_board_pid(const struct ftc_board *board, uint32_t rank)
{
    return ftc_board_is_here(board, rank) ? atomic_load(&board->shared->rank[rank].pid) : 0;
}

/* For people: on whatever host. */
static inline int ftc_board_pid_there(const struct ftc_board *board, uint32_t rank)
{
    return atomic_load(&board->shared->rank[rank].pid);
}

/* Sets which deaths of @rank end the job: the bits 1 << enum ftc_death_cause, or FTC_FORBID_ANY.
 * The rank itself does so before it is protected. */
enum { FTC_FORBID_ANY = 1 << FTC_DEATH_NONE };
static inline void ftc_board_forbid(struct ftc_board *board, uint32_t rank, uint32_t deaths)
{
    atomic_store(&board->shared->rank[rank].forbidden, deaths);
}

/* Returns whether any death of @rank ends the job. */
static inline bool ftc_board_is_critical(const struct ftc_board *board, uint32_t rank)
{
    return (atomic_load(&board->shared->rank[rank].forbidden) & FTC_FORBID_ANY) != 0;
}

/* Whether MPICH at the rank cannot make communicators any more; the rank itself says so. */
static inline void ftc_board_set_exhausted(struct ftc_board *board, uint32_t rank)
{
    atomic_store(&board->shared->rank[rank].is_exhausted, true);
}

static inline bool ftc_board_is_exhausted(const struct ftc_board *board, uint32_t rank)
{
    return atomic_load(&board->shared->rank[rank].is_exhausted);
}

/* The caller begins to tell the launcher that it is through. */
static inline void ftc_board_set_leaving(struct ftc_board *board, uint32_t rank)
{
    atomic_store(&board->shared->rank[rank].is_leaving, true);
}

static inline bool ftc_board_is_leaving(const struct ftc_board *board, uint32_t rank)
{
    return atomic_load(&board->shared->rank[rank].is_leaving);
}

#endif
