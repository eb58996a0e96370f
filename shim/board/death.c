#include "death.h"

#include <stdio.h>
#include <string.h>

int ftc_death_value(const struct ftc_board *board, uint32_t rank)
{
    return (int)(uint32_t)atomic_load(&board->shared->rank[rank].death);
}

enum ftc_death_cause ftc_death_cause(const struct ftc_board *board, uint32_t rank)
{
    uint32_t cause = (uint32_t)(atomic_load(&board->shared->rank[rank].death) >> 32);

    return cause == FTC_DEATH_SIGNAL || cause == FTC_DEATH_EXIT || cause == FTC_DEATH_HOST
               ? (enum ftc_death_cause)cause
               : FTC_DEATH_SUSPECTED;
}

void ftc_death_name(const struct ftc_board *board, uint32_t rank, char *text, size_t size)
{
    int value = ftc_death_value(board, rank);

    switch (ftc_death_cause(board, rank)) {
    case FTC_DEATH_SIGNAL:
        snprintf(text, size, "killed by signal %d", value);
        break;
    case FTC_DEATH_EXIT:
        snprintf(text, size, "exited with status %d", value);
        break;
    case FTC_DEATH_HOST:
        snprintf(text, size, "lost with its host");
        break;
    default:
        snprintf(text, size, "silent");
        break;
    }
}

void ftc_death_describe(const struct ftc_board *board, uint32_t rank, int timeout_ms, char *text,
                        size_t size)
{
    char name[64];

    ftc_death_name(board, rank, name, sizeof name);
    switch (ftc_death_cause(board, rank)) {
    case FTC_DEATH_SIGNAL:
        snprintf(text, size, "%s (%s)", name, strsignal(ftc_death_value(board, rank)));
        break;
    case FTC_DEATH_EXIT:
        snprintf(text, size, "%s without MPI_Finalize", name);
        break;
    case FTC_DEATH_HOST:
        snprintf(text, size, "%s, %s", name,
                 ftc_death_value(board, rank) == FTC_HOST_ENDED
                     ? "where all processes of the job have ended"
                     : "which mpiexec has not heard for more than unreachable_ms");
        break;
    default:
        snprintf(text, size, "%s for more than timeout_ms = %d", name, timeout_ms);
        break;
    }
}

bool ftc_death_is_forbidden(const struct ftc_board *board, uint32_t rank)
{
    uint32_t forbidden = atomic_load(&board->shared->rank[rank].forbidden);

    return ftc_board_is_dead(board, rank) &&
           (forbidden & (FTC_FORBID_ANY | 1u << ftc_death_cause(board, rank))) != 0;
}

/* Returns the word of the setting tolerate for @cause. */
static const char *word_of(enum ftc_death_cause cause)
{
    return cause == FTC_DEATH_SIGNAL ? "signal"
           : cause == FTC_DEATH_EXIT ? "exit"
           : cause == FTC_DEATH_HOST ? "host"
                                     : "silence";
}

void ftc_death_describe_end(const struct ftc_board *board, uint32_t rank, int max_failed,
                            char *text, size_t size)
{
    int length = snprintf(text, size, "the death of rank %d ends the job: ", (int)rank);

    text += length;
    size -= (size_t)length;
    if (!ftc_death_is_forbidden(board, rank))
        snprintf(text, size, "it is number %d, max_failed = %d", (int)ftc_board_deaths(board),
                 max_failed);
    else if (ftc_board_is_critical(board, rank))
        snprintf(text, size, "critical_ranks");
    else
        snprintf(text, size, "setting tolerate does not name %s",
                 word_of(ftc_death_cause(board, rank)));
}

int ftc_death_suspected_by(const struct ftc_board *board, uint32_t rank)
{
    uint32_t by = (uint32_t)ftc_death_value(board, rank);

    return by < board->geometry.ranks ? (int)by : -1;
}
