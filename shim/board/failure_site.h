/* failure_site: call site of the operation that first met a death (recovery_record.h), for
 * processes that report it and were not in the operation.
 *
 * A survivor that returns from the operation leaves the address here and goes on, because finding
 * the name of a call site takes longer than the operation. Another process that has nothing to do
 * finds the name. The survivor must still live then, because the name is looked up in that process.
 */
#ifndef FTC_BOARD_FAILURE_SITE_H
#define FTC_BOARD_FAILURE_SITE_H

#include "recovery_record.h"

/* Leaves the @return_address of a call of rank @by, which returns from operation @of. Has an effect
 * only if @of is the operation that first met the death of @rank, and no living rank has left an
 * address yet. */
void ftc_failure_site_leave(struct ftc_board *board, uint32_t rank, uint32_t by,
                            const struct ftc_operation_id *of, const void *return_address);

/* Address in the program of a living rank, whose process is @pid. */
struct ftc_site_address {
    int pid;
    unsigned long address;
};

/* Reads the address that was left for the death of @rank. Returns false if there is none, or if the
 * rank that left it has died since. */
bool ftc_failure_site_address(const struct ftc_board *board, uint32_t rank,
                              struct ftc_site_address *place);

/* Claims the search for the name. Returns true for the first process, which has to find the name
 * and call ftc_failure_site_keep(). */
bool ftc_failure_site_claim(const struct ftc_board *board, uint32_t rank);

/* Stores the name. The rank that left the address calls this in MPI_Finalize as well, if the name
 * is not stored yet, without a claim. */
void ftc_failure_site_keep(const struct ftc_board *board, uint32_t rank, const char *name);

/* Copies the name, with '?' for control characters. Returns false if no name is stored. */
bool ftc_failure_site_name(const struct ftc_board *board, uint32_t rank,
                           char name[FTC_BOARD_SITE_TEXT]);

#endif
