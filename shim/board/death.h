/* death: cause of the death of a rank, also as text. Unless a comment says otherwise, the functions
 * may be called only once the state of the rank is FTC_RANK_FAILED. */
#ifndef FTC_BOARD_DEATH_H
#define FTC_BOARD_DEATH_H

#include "rank_state.h"

/* Writes the cause, such as "killed by signal 9 (Killed)". @timeout_ms is the setting, for a rank
 * that was declared dead because it was silent. */
void ftc_death_describe(const struct ftc_board *board, uint32_t rank, int timeout_ms, char *text,
                        size_t size);

/* Writes a shorter form, such as "killed by signal 9", for the middle of a sentence. */
void ftc_death_name(const struct ftc_board *board, uint32_t rank, char *text, size_t size);

/* Returns the cause. */
enum ftc_death_cause ftc_death_cause(const struct ftc_board *board, uint32_t rank);

/* Returns the number that belongs to the cause (rank_state.h). */
int ftc_death_value(const struct ftc_board *board, uint32_t rank);

/* Returns whether @rank is dead, and critical_ranks or tolerate ends the job for that. May be
 * called at any time. */
bool ftc_death_is_forbidden(const struct ftc_board *board, uint32_t rank);

/* As above, but returns true as well if there are more deaths than the setting @max_failed. */
static inline bool ftc_death_ends_job(const struct ftc_board *board, uint32_t rank, int max_failed)
{
    return ftc_death_is_forbidden(board, rank) || (int)ftc_board_deaths(board) > max_failed;
}

/* Writes "the death of rank 3 ends the job: critical_ranks", for a death that does. */
void ftc_death_describe_end(const struct ftc_board *board, uint32_t rank, int max_failed,
                            char *text, size_t size);

/* Returns the rank that declared @rank dead, if the cause is FTC_DEATH_SUSPECTED, or -1 if the
 * value is no rank. */
int ftc_death_suspected_by(const struct ftc_board *board, uint32_t rank);

/* Notes that the calling process crashes in the library, at @offset of its code
 * (system/own_code.h). */
static inline void ftc_death_note_crash(const struct ftc_board *board, uint32_t self,
                                        uint64_t offset)
{
    atomic_store(&board->shared->rank[self].crashed_at, offset + 1);
}

/* Returns whether @rank has crashed in the library. *@offset is then the @offset that
 * ftc_death_note_crash() got. May be called at any time. */
static inline bool ftc_death_crashed_at(const struct ftc_board *board, uint32_t rank,
                                        uint64_t *offset)
{
    uint64_t noted = atomic_load(&board->shared->rank[rank].crashed_at);

    *offset = noted - 1;
    return noted != 0;
}

/* Returns the time of the death, CLOCK_MONOTONIC. */
static inline uint64_t ftc_death_time_ns(const struct ftc_board *board, uint32_t rank)
{
    return atomic_load_explicit(&board->shared->rank[rank].death_time_ns, memory_order_relaxed);
}

#endif
