/* group: the ranks behind a group or a communicator, in MPI_COMM_WORLD. */
#ifndef FTC_COMMUNICATOR_GROUP_H
#define FTC_COMMUNICATOR_GROUP_H

#include "mpi/mpi_library.h"

#include <stdbool.h>

/* The rank in MPI_COMM_WORLD of each of the *@size members of @group; MPI_UNDEFINED: outside of it.
 * To be freed by the caller. NULL without memory, or if MPI refuses. */
int *ftc_group_world_ranks(MPI_Group group, int *size);

/* The members of @comm, of an intercommunicator the local ones. To be freed by the caller;
 * MPI_GROUP_NULL if MPI refuses. */
MPI_Group ftc_group_of(MPI_Comm comm);

/* The world ranks of the members of @comm. */
int *ftc_group_world_ranks_of(MPI_Comm comm, int *size);

/* The members whose ranks in MPI_COMM_WORLD are @world_rank. To be freed by the caller;
 * MPI_GROUP_NULL if MPI refuses. */
MPI_Group ftc_group_of_world(const int *world_rank, int size);

/* Whether @comm, a communicator, is an intercommunicator. */
static inline bool ftc_is_inter(MPI_Comm comm)
{
    int inter = 0;

    PMPI_Comm_test_inter(comm, &inter);
    return inter != 0;
}

/* The group whose ranks calls on @comm name: of an intercommunicator the remote one. To be freed by
 * the caller. */
MPI_Group ftc_group_of_peers(MPI_Comm comm);

/* Both groups of an intercommunicator: those whom a collective call on it needs. To be freed by the
 * caller. */
MPI_Group ftc_group_of_both(MPI_Comm intercomm);

/* Their world ranks, of the group with the lowest one first; @remote is where those of the remote
 * group begin, @remote_size how many they are. Below 0: outside of MPI_COMM_WORLD. To be freed by
 * the caller; NULL without memory. */
int *ftc_group_world_ranks_of_both(MPI_Comm intercomm, int *remote, int *remote_size);

/* Returns both groups in one order on both sides; MPI_GROUP_NULL without memory, or with members
 * outside of MPI_COMM_WORLD. */
MPI_Group ftc_group_of_both_in_order(MPI_Comm intercomm);

/* Whether both groups are in MPI_COMM_WORLD. */
bool ftc_group_is_in_world(MPI_Comm intercomm);

bool ftc_group_has_this_rank(MPI_Group group);

/* The lowest rank in MPI_COMM_WORLD of the members of @group; INT_MAX without memory. */
int ftc_group_lowest(MPI_Group group);

/* Those whom this rank waits for in MPI_Intercomm_create() with these arguments: its own group, and
 * if it is the local leader the remote one too. To be freed by the caller; MPI_GROUP_NULL if an
 * argument is invalid. */
MPI_Group ftc_group_with_leader(MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader);

#endif
