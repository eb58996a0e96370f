/* death: what killed a rank, in words. All of it may be asked only once the rank's state is
 * FTC_RANK_FAILED. */
#ifndef FTC_BOARD_DEATH_H
#define FTC_BOARD_DEATH_H

#include "rank_state.h"

/* "killed by signal 9 (Killed)"; @timeout_ms is the setting, for ranks that it took for dead. */
void ftc_death_describe(const struct ftc_board *board, uint32_t rank, int timeout_ms, char *text,
                        size_t size);

/* "killed by signal 9", for the middle of a sentence. */
void ftc_death_name(const struct ftc_board *board, uint32_t rank, char *text, size_t size);

/* What it died of, and the number that goes with that (rank_state.h). */
enum ftc_death_cause ftc_death_cause(const struct ftc_board *board, uint32_t rank);
int ftc_death_value(const struct ftc_board *board, uint32_t rank);

/* Returns whether @rank is dead, and critical_ranks or tolerate ends the job for that. */
bool ftc_death_is_forbidden(const struct ftc_board *board, uint32_t rank);

/* As above, or there are more deaths than @max_failed, the setting. */
static inline bool ftc_death_ends_job(const struct ftc_board *board, uint32_t rank, int max_failed)
{
    return ftc_death_is_forbidden(board, rank) || (int)ftc_board_deaths(board) > max_failed;
}

/* Writes "the death of rank 3 ends the job: critical_ranks", for a death that does. */
void ftc_death_describe_end(const struct ftc_board *board, uint32_t rank, int max_failed,
                            char *text, size_t size);

/* The one that took @rank for dead; -1: no rank. */
int ftc_death_suspected_by(const struct ftc_board *board, uint32_t rank);

/* The caller crashes in the library, at @offset of its code (system/own_code.h). */
static inline void ftc_death_note_crash(const struct ftc_board *board, uint32_t self,
                                        uint64_t offset)
{
    atomic_store(&board->shared->rank[self].crashed_at, offset + 1);
}

/* Whether @rank has crashed in the library, and where. May be asked at any time. */
static inline bool ftc_death_crashed_at(const struct ftc_board *board, uint32_t rank,
                                        uint64_t *offset)
{
    uint64_t noted = atomic_load(&board->shared->rank[rank].crashed_at);

    *offset = noted - 1;
    return noted != 0;
}

/* CLOCK_MONOTONIC */
static inline uint64_t ftc_death_time_ns(const struct ftc_board *board, uint32_t rank)
{
    return atomic_load_explicit(&board->shared->rank[rank].death_time_ns, memory_order_relaxed);
}

#endif
