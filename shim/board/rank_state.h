/* rank_state: process and state of each rank, and the number of deaths.
 *
 * The check of a waiting rank in each turn is one load. */
#ifndef FTC_BOARD_RANK_STATE_H
#define FTC_BOARD_RANK_STATE_H

#include "directory.h"

/* States of a rank. A rank only moves down this list. FINALIZED and FAILED are final. */
enum ftc_rank_state {
    FTC_RANK_STARTING = 0, /* MPI_Init has not returned */
    FTC_RANK_RUNNING,      /* protected: its death is tolerated */
    FTC_RANK_FINALIZED,    /* at the end of MPI_Finalize: no rank waits for its messages any more */
    FTC_RANK_FAILED,       /* fail-stop: it sends nothing more, even if it still runs */
};

enum ftc_death_cause {
    FTC_DEATH_NONE = 0,
    FTC_DEATH_SIGNAL,    /* value: signal number */
    FTC_DEATH_EXIT,      /* value: exit status, without MPI_Finalize */
    FTC_DEATH_SUSPECTED, /* value: rank that took it for dead (monitor = timeout) */
    FTC_DEATH_HOST,      /* value: enum ftc_host_loss, of its host (lease.h) */
};

/* Ways in which a host is lost. */
enum ftc_host_loss {
    FTC_HOST_ENDED = 1, /* all processes of the job there have ended, or its power was cut */
    FTC_HOST_SILENT,    /* mpiexec did not hear it; if the host lives, its ranks have stopped */
};

/* Wakes the callers of ftc_board_await_update(), because other hosts have to know of a change: a
 * state, a death or the progress of a rank. Does nothing in a job on one host. */
void ftc_board_signal_update(const struct ftc_board *board);

/* Returns the number of changes so far. */
uint32_t ftc_board_updates(const struct ftc_board *board);

/* Waits until the number of changes is no longer @seen. */
void ftc_board_await_update(const struct ftc_board *board, uint32_t seen);

/* Declares @rank dead unless it is FINALIZED or dead already. Returns whether there is a death to
 * count: this one, or one that another process has declared but not counted before it ended. */
bool ftc_board_mark_failed(struct ftc_board *board, uint32_t rank, enum ftc_death_cause cause,
                           int value);

/* As above, for a death on another host, @ago_ns ago. */
bool ftc_board_mark_failed_ago(struct ftc_board *board, uint32_t rank, enum ftc_death_cause cause,
                               int value, uint64_t ago_ns);

/* Waits until a rank is dead and ftc_board_wake_watchers() has been called. Declaring a rank dead
 * does not wake the waiting threads, because the declaring rank is on its way to a result. Waking a
 * thread for each rank, on cores that all ranks share, took a third of the time until the ranks had
 * the result (16 ranks on 2 cores). */
void ftc_board_await_death(struct ftc_board *board);
void ftc_board_wake_watchers(struct ftc_board *board);

/* Moves @rank to @state. Returns false if it has been declared dead in the meantime. For the rank
 * itself and, for ranks of other hosts, the agent. */
bool ftc_board_advance(struct ftc_board *board, uint32_t rank, enum ftc_rank_state state);

static inline enum ftc_rank_state ftc_board_state(const struct ftc_board *board, uint32_t rank)
{
    uint32_t state = atomic_load_explicit(&board->shared->rank[rank].state, memory_order_acquire);

    return state <= FTC_RANK_FAILED ? (enum ftc_rank_state)state : FTC_RANK_FAILED;
}

/* ---- deaths ---- */

/* Returns the number of deaths. The caller then also sees the states of that many dead ranks. */
static inline uint32_t ftc_board_deaths(const struct ftc_board *board)
{
    return atomic_load_explicit(&board->shared->deaths, memory_order_acquire);
}

/* Returns the address of that number. A fast caller keeps it, and uses the address of a zero while
 * no board is open. */
static inline const _Atomic uint32_t *ftc_board_deaths_word(const struct ftc_board *board)
{
    return &board->shared->deaths;
}

/* Returns whether a rank is dead, by a relaxed load. The caller may conclude from it only whether
 * further checks are worthwhile. */
static inline bool ftc_board_is_anyone_dead(const struct ftc_board *board)
{
    return atomic_load_explicit(&board->shared->deaths, memory_order_relaxed) != 0;
}

static inline bool ftc_board_is_dead(const struct ftc_board *board, uint32_t rank)
{
    return ftc_board_state(board, rank) == FTC_RANK_FAILED;
}

/* ---- the rank ---- */

/* Enters the process of @rank. */
static inline void ftc_board_introduce(struct ftc_board *board, uint32_t rank, int pid)
{
    atomic_store(&board->shared->rank[rank].pid, pid);
}

/* Returns the pid of a rank of this host, or 0 for a rank of another host. */
static inline int ftc_board_pid(const struct ftc_board *board, uint32_t rank)
{
    return ftc_board_is_here(board, rank) ? atomic_load(&board->shared->rank[rank].pid) : 0;
}

/* Returns the pid of a rank on its own host, for messages to users. */
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

/* Notes that MPICH at @rank cannot make communicators any more. For the rank itself. */
static inline void ftc_board_set_exhausted(struct ftc_board *board, uint32_t rank)
{
    atomic_store(&board->shared->rank[rank].is_exhausted, true);
    ftc_board_signal_update(board);
}

static inline bool ftc_board_is_exhausted(const struct ftc_board *board, uint32_t rank)
{
    return atomic_load(&board->shared->rank[rank].is_exhausted);
}

/* Notes that @rank, the caller, begins to report its end to the launcher. */
static inline void ftc_board_set_leaving(struct ftc_board *board, uint32_t rank)
{
    atomic_store(&board->shared->rank[rank].is_leaving, true);
}

static inline bool ftc_board_is_leaving(const struct ftc_board *board, uint32_t rank)
{
    return atomic_load(&board->shared->rank[rank].is_leaving);
}

#endif
