/* missed_site: from where the program called the operation that first met a death (aftermath.h),
 * for those who report without having been there.
 *
 * A survivor that comes out of the operation leaves the address, and goes on: to find the name of a
 * place takes longer than the operation. That is left to a process that has nothing to do, while
 * the survivor still lives and can be asked what lies at its address. */
#ifndef FTC_BOARD_MISSED_SITE_H
#define FTC_BOARD_MISSED_SITE_H

#include "aftermath.h"

/* Rank @by comes out of operation @of of a call that its program made with @return_address. Kept if
 * that is the operation which first met the death of @rank, and no living rank has said so. */
void ftc_missed_site_leave(struct ftc_board *board, uint32_t rank, uint32_t by,
                           const struct ftc_operation_id *of, const void *return_address);

/* An address in the program of a living rank. */
struct ftc_missed_place {
    int pid;
    unsigned long address;
};

/* What was left for the death of @rank; false if nothing was, or its rank has died since. */
bool ftc_missed_site_place(const struct ftc_board *board, uint32_t rank,
                           struct ftc_missed_place *place);

/* True for the first that asks: it finds the name and keeps it. So does, in MPI_Finalize, the rank
 * that has left the place, whoever has asked. */
bool ftc_missed_site_claim(const struct ftc_board *board, uint32_t rank);
void ftc_missed_site_keep(const struct ftc_board *board, uint32_t rank, const char *name);

/* The name, in which control characters have become '?'; false if none was kept. */
bool ftc_missed_site_name(const struct ftc_board *board, uint32_t rank,
                          char name[FTC_BOARD_SITE_TEXT]);

#endif
