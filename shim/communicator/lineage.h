/* lineage: where a communicator comes from, as a number that all its ranks find without a message.
 *
 * The ranks of a communicator make others of it in one order (MPI 4.0, section 6.4), but they need
 * not use those in one order: not with threads, and not in nonblocking calls. So the number of a
 * new one is made of its parent's and of how many were made before it. Calls of
 * MPI_Comm_create_group have an order only among those of one group and, with threads, tag.
 */
#ifndef FTC_COMMUNICATOR_LINEAGE_H
#define FTC_COMMUNICATOR_LINEAGE_H

#include "mpi/mpi_library.h"

#include <stdbool.h>
#include <stdint.h>

/* In MPI_Init. */
void ftc_lineage_open(void);

/* Before native MPI makes *@made: MPICH 5.0.2 returns MPI_SUCCESS when it has called an error
 * handler of the program's, and then nothing is there. */
static inline void ftc_lineage_expect(MPI_Comm *made)
{
    if (made)
        *made = MPI_COMM_NULL;
}

/* Gives a number to *@made, which all ranks of @parent have made, or begun to make, with the error
 * code @rv. *@made may be MPI_COMM_NULL. Communicators that one call makes are told apart by their
 * members. Returns @rv. */
int ftc_lineage_from(MPI_Comm parent, const MPI_Comm *made, int rv);

/* Gives a number to *@made, which the ranks of @group have made of @parent with @tag.
 * MPI_GROUP_NULL: all ranks have. Returns @rv. */
int ftc_lineage_in_group(MPI_Comm parent, MPI_Group group, int tag, const MPI_Comm *made, int rv);

/* Gives @number to @made, which may be MPI_COMM_NULL. */
void ftc_lineage_give(MPI_Comm made, uint64_t number);

/* Series of numbers. Those of groups are odd. */
enum ftc_lineage_object { FTC_LINEAGE_WINDOW = 2, FTC_LINEAGE_FILE = 4, FTC_LINEAGE_REQUEST = 6 };

/* Returns the number of the window or file that all ranks of @parent have just made of it, or of
 * the persistent request that they are making. Returns 0 if the number of @parent is not known, or
 * without memory, which ends the job. */
uint64_t ftc_lineage_of_object(MPI_Comm parent, enum ftc_lineage_object object);

/* Notes that all ranks have made *@made by MPI_Comm_dup() or MPI_Comm_idup(), as libraries do that
 * must not use the program's communicator. */
void ftc_lineage_note_copy(const MPI_Comm *made);
bool ftc_lineage_is_copy(MPI_Comm comm);

/* Returns whether @comm is such a copy and MPI_File_open() has not returned an error yet for the
 * @dead members that all survivors know of. From then on it has. */
bool ftc_lineage_has_to_tell(MPI_Comm comm, int dead);

struct ftc_lineage;

/* Returns the lineage of @comm, which lives as long as @comm. NULL: it is not known. It is not for
 * an intercommunicator with members outside of MPI_COMM_WORLD; with threads for one that native MPI
 * has made of two groups; and for what was made of such communicators. */
struct ftc_lineage *ftc_lineage_of(MPI_Comm comm);

/* The number. */
uint64_t ftc_lineage_number(const struct ftc_lineage *b);

#endif
