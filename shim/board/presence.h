/* presence: progress of the ranks in MPI_Init, and the set of cores that they may use. */
#ifndef FTC_BOARD_PRESENCE_H
#define FTC_BOARD_PRESENCE_H

#include "board.h"

/* Progress of a rank in MPI_Init. */
enum ftc_presence {
    FTC_PRESENCE_NONE = 0, /* it has not opened the board */
    FTC_PRESENCE_HERE,     /* it has opened the board */
    FTC_PRESENCE_PREPARED, /* it is prepared or refused, and its MPI_Init makes no more native
                              calls; if a rank is refused, no rank can be protected */
};

/* Returns the progress of @rank. */
enum ftc_presence ftc_presence_of(const struct ftc_board *board, uint32_t rank);

/* Shows the progress of the calling process. */
void ftc_presence_show(struct ftc_board *board, uint32_t self, enum ftc_presence presence);

/* Counts @rank as prepared or as refused, unless it is counted already. To be called after
 * FTC_PRESENCE_PREPARED is shown. A process that sees the new number also sees all that the caller
 * wrote before. */
void ftc_presence_count(struct ftc_board *board, uint32_t rank, bool prepared);

enum ftc_counted { FTC_COUNTED_NOT = 0, FTC_COUNTED_PREPARED, FTC_COUNTED_REFUSED };

/* Returns whether and how @rank has been counted. */
enum ftc_counted ftc_presence_counted(const struct ftc_board *board, uint32_t rank);

/* Returns whether all ranks have been counted. *@refused is the number of refused ranks so far. */
bool ftc_presence_have_all(const struct ftc_board *board, uint32_t *refused);

/* Returns whether all ranks are prepared. From then on they are protected. */
bool ftc_presence_are_all_ready(const struct ftc_board *board);

/* Adds the cores that the calling process may run on to the common set. A launcher may have bound
 * each rank to its own cores. */
void ftc_presence_add_own_cores(struct ftc_board *board);

/* Returns whether the set has fewer cores than this host has ranks. All ranks of the host get the
 * same result once all have added their cores. */
bool ftc_presence_is_crowded(const struct ftc_board *board);

#endif
