/* group: groups of ranks, and their ranks in MPI_COMM_WORLD. */
#ifndef FTC_COMMUNICATOR_GROUP_H
#define FTC_COMMUNICATOR_GROUP_H

#include "mpi/mpi_library.h"

#include <stdbool.h>

/* Returns the rank in MPI_COMM_WORLD of each of the *@size members of @group, or MPI_UNDEFINED for
 * a member outside of it. The caller frees the array. Returns NULL without memory, or if MPI
 * returns an error. */
int *ftc_group_world_ranks(MPI_Group group, int *size);

/* Returns the group of @comm, on an intercommunicator the local one. The caller frees the group.
 * Returns MPI_GROUP_NULL if MPI returns an error. */
MPI_Group ftc_group_of(MPI_Comm comm);

/* Returns the world ranks of the members of @comm, on an intercommunicator of the local group. The
 * caller frees the array of *@size ranks. Returns NULL without memory, or if MPI returns an
 * error. */
int *ftc_group_world_ranks_of(MPI_Comm comm, int *size);

/* Returns the group of the @size processes whose ranks in MPI_COMM_WORLD are @world_rank, in this
 * order. The caller frees the group. Returns MPI_GROUP_NULL if MPI returns an error. */
MPI_Group ftc_group_of_world(const int *world_rank, int size);

/* Returns whether @comm is an intercommunicator. @comm must be a valid communicator. */
static inline bool ftc_is_inter(MPI_Comm comm)
{
    int inter = 0;

    PMPI_Comm_test_inter(comm, &inter);
    return inter != 0;
}

/* Returns the group to whose ranks point-to-point calls on @comm refer, which is the remote group
 * of an intercommunicator. The caller frees the group. */
MPI_Group ftc_group_of_peers(MPI_Comm comm);

/* Returns the union of both groups of @intercomm, all of which a collective call on it needs. The
 * caller frees the group. */
MPI_Group ftc_group_of_both(MPI_Comm intercomm);

/* Returns the world ranks of both groups of @intercomm, first those of the group with the lowest
 * rank. Sets *@remote to the index of the remote group's first rank, and *@remote_size to that
 * group's size. A rank below 0 is outside of MPI_COMM_WORLD. The caller frees the array. Returns
 * NULL without memory. */
int *ftc_group_world_ranks_of_both(MPI_Comm intercomm, int *remote, int *remote_size);

/* Returns the union of both groups of @intercomm in the order of MPI_COMM_WORLD, which is the same
 * on both sides. The caller frees the group. Returns MPI_GROUP_NULL without memory, or if a member
 * is outside of MPI_COMM_WORLD. */
MPI_Group ftc_group_of_both_in_order(MPI_Comm intercomm);

/* Returns whether all members of both groups of @intercomm are in MPI_COMM_WORLD. */
bool ftc_group_is_in_world(MPI_Comm intercomm);

bool ftc_group_has_this_rank(MPI_Group group);

/* Returns the lowest rank in MPI_COMM_WORLD of the members of @group; INT_MAX without memory. */
int ftc_group_lowest(MPI_Group group);

/* Returns the group of ranks for which this rank waits in MPI_Intercomm_create() with these
 * arguments: its own group and, on the local leader, the remote leader. The caller frees the group.
 * Returns MPI_GROUP_NULL if @local is invalid. */
MPI_Group ftc_group_with_leader(MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader);

#endif
