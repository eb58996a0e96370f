/* lineage: the origin of a communicator, as a number that all its ranks compute without a message.
 *
 * All ranks of a communicator make new ones from it in the same order (MPI 4.0, section 6.4). They
 * need not use the new ones in the same order, with threads or in nonblocking calls. The number of
 * a new communicator is therefore made from its parent's number and from how many were made before
 * it. Calls of MPI_Comm_create_group have an order only among those of one group and, with threads,
 * tag. */
#ifndef FTC_COMMUNICATOR_LINEAGE_H
#define FTC_COMMUNICATOR_LINEAGE_H

#include "mpi/mpi_library.h"

#include <stdbool.h>
#include <stdint.h>

/* Sets the callback that frees lineages. Called in MPI_Init. */
void ftc_lineage_open(void);

/* Sets *@made to MPI_COMM_NULL before native MPI makes it. MPICH 5.0.2 returns MPI_SUCCESS after it
 * has called an error handler of the program, although it has not made a communicator. @made may be
 * NULL. */
static inline void ftc_lineage_expect(MPI_Comm *made)
{
    if (made)
        *made = MPI_COMM_NULL;
}

/* Gives a number to *@made, which all ranks of @parent have made, or begun to make, with the error
 * code @rv. *@made may be MPI_COMM_NULL. If one call makes several communicators, their members
 * distinguish them. Returns @rv. */
int ftc_lineage_from(MPI_Comm parent, const MPI_Comm *made, int rv);

/* Gives a number to *@made, which the ranks of @group have made from @parent with @tag and the
 * error code @rv. @group is MPI_GROUP_NULL if all ranks of @parent have. Returns @rv. */
int ftc_lineage_in_group(MPI_Comm parent, MPI_Group group, int tag, const MPI_Comm *made, int rv);

/* Gives @number to @made. Does nothing if @made is MPI_COMM_NULL or @number is 0. Without memory
 * the job ends. */
void ftc_lineage_give(MPI_Comm made, uint64_t number);

/* Names of the series of numbers for objects that are no communicators. The names of groups' series
 * are odd. */
enum ftc_lineage_object { FTC_LINEAGE_WINDOW = 2, FTC_LINEAGE_FILE = 4, FTC_LINEAGE_REQUEST = 6 };

/* Returns the number of the window or file that all ranks of @parent have just made from it, or of
 * the persistent request that they are making. Returns 0 if the number of @parent is not known, or
 * without memory, which ends the job. */
uint64_t ftc_lineage_of_object(MPI_Comm parent, enum ftc_lineage_object object);

/* Notes that all ranks have made *@made by MPI_Comm_dup() or MPI_Comm_idup(). Libraries that must
 * not use the program's communicator call these. */
void ftc_lineage_note_copy(const MPI_Comm *made);
bool ftc_lineage_is_copy(MPI_Comm comm);

/* Returns whether MPI_File_open() still has to return an error because @comm is a copy
 * (ftc_lineage_note_copy()) with @dead dead members, of which all survivors know. The error then
 * counts as returned. */
bool ftc_lineage_must_report(MPI_Comm comm, int dead);

struct ftc_lineage;

/* Returns the lineage of @comm, which lives as long as @comm, or NULL if it is not known. It is not
 * known for an intercommunicator with members outside of MPI_COMM_WORLD. With threads it is not
 * known for an intercommunicator that native MPI has made from two groups. It is not known for
 * communicators that were made from these either. */
struct ftc_lineage *ftc_lineage_of(MPI_Comm comm);

uint64_t ftc_lineage_number(const struct ftc_lineage *b);

#endif
