/* failure_site: from where the program called the operation that first met a death
 * (recovery_record.h), for those who report without having been there.
 *
 * A survivor that comes out of the operation leaves the address, and goes on: to find the name of a
 * place takes longer than the operation. That is left to a process that has nothing to do, while
 * the survivor still lives and can be asked what lies at its address. */
#ifndef FTC_BOARD_FAILURE_SITE_H
#define FTC_BOARD_FAILURE_SITE_H

#include "recovery_record.h"

/* Rank @by comes out of operation @of of a call that its program made with @return_address. Kept if
 * that is the operation which first met the death of @rank, and no living rank has said so. */
void ftc_failure_site_leave(struct ftc_board *board, uint32_t rank, uint32_t by,
                            const struct ftc_operation_id *of, const void *return_address);

/* An address in the program of a living rank: @pid is that rank's process. */
struct ftc_site_address {
    int pid;
    unsigned long address;
};

/* Reads the address that was left for the death of @rank. Returns false if there is none, or if the
 * rank that left it has died since. */
bool ftc_failure_site_address(const struct ftc_board *board, uint32_t rank,
                              struct ftc_site_address *place);

/* Returns true for the first process that claims it, which finds the name and keeps it. The rank
 * that left the address does so too, in MPI_Finalize, whoever has claimed it. */
bool ftc_failure_site_claim(const struct ftc_board *board, uint32_t rank);
void ftc_failure_site_keep(const struct ftc_board *board, uint32_t rank, const char *name);

/* Copies the name, with '?' for control characters. Returns false if none was kept. */
bool ftc_failure_site_name(const struct ftc_board *board, uint32_t rank,
                           char name[FTC_BOARD_SITE_TEXT]);

#endif
