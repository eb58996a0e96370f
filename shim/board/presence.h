/* presence: how far the ranks have come in MPI_Init, and the cores that they may use together. */
#ifndef FTC_BOARD_PRESENCE_H
#define FTC_BOARD_PRESENCE_H

#include "board.h"

/* How far a rank has come in MPI_Init. */
enum ftc_presence {
    FTC_PRESENCE_NONE = 0, /* it has not opened the board */
    FTC_PRESENCE_HERE,
    FTC_PRESENCE_PREPARED, /* or refused: it cannot be protected, so nobody is */
};

/* How far @rank has come. */
enum ftc_presence ftc_presence_of(const struct ftc_board *board, uint32_t rank);

/* The caller has come so far. The step that ends its MPI_Init, PREPARED, is shown first and counted
 * later, as @prepared or as refused: what it does in between has happened for whoever sees the
 * number. */
void ftc_presence_show(struct ftc_board *board, uint32_t self, enum ftc_presence presence);
void ftc_presence_count(struct ftc_board *board, uint32_t rank, bool prepared);

/* What @rank has been counted as; a rank is counted once. */
enum ftc_counted { FTC_COUNTED_NOT = 0, FTC_COUNTED_PREPARED, FTC_COUNTED_REFUSED };
enum ftc_counted ftc_presence_counted(const struct ftc_board *board, uint32_t rank);

/* Whether all ranks have been counted; *@refused is then how many of them are refused. */
bool ftc_presence_have_all(const struct ftc_board *board, uint32_t *refused);

/* Whether all ranks are prepared: from here on they are protected. */
bool ftc_presence_are_all_ready(const struct ftc_board *board);

/* Cores that the caller may run on join those of the others: a launcher may have bound each rank to
 * its own. */
void ftc_presence_add_own_cores(struct ftc_board *board);

/* Whether there are fewer of them than ranks here: the same for all ranks of this host, once all
 * have come. */
bool ftc_presence_is_crowded(const struct ftc_board *board);

#endif
