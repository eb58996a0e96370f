/* group: the ranks behind a group or a communicator, in MPI_COMM_WORLD. */
#ifndef FTC_GROUP_H
#define FTC_GROUP_H

#include <mpi.h>
#include <stdbool.h>

/* The rank in MPI_COMM_WORLD of each of the @size members of @group; MPI_UNDEFINED: outside of it.
 * False without memory, or if MPI refuses. */
bool ftc_group_world_ranks(MPI_Group group, int size, int *world_rank);

/* The group whose ranks calls on @comm name: of an intercommunicator (@inter) the remote one. To be
 * freed by the caller. */
MPI_Group ftc_group_of_peers(MPI_Comm comm, bool inter);

#endif
