#include "sides_of.h"

#include "communicator/group.h"

void ftc_sides_of_place(struct ftc_sides_of *sides, MPI_Group local, MPI_Group remote)
{
    sides->is_second = ftc_group_lowest(remote) < ftc_group_lowest(local);
    sides->side[sides->is_second] = local;
    sides->side[!sides->is_second] = remote;
}

void ftc_sides_of_find(struct ftc_sides_of *sides, MPI_Comm intercomm)
{
    MPI_Group remote;

    PMPI_Comm_remote_group(intercomm, &remote);
    ftc_sides_of_place(sides, ftc_group_of(intercomm), remote);
}

static void free_group(MPI_Group *group)
{
    if (*group != MPI_GROUP_NULL)
        PMPI_Group_free(group);
}

void ftc_sides_of_free(struct ftc_sides_of *sides)
{
    free_group(&sides->side[0]);
    free_group(&sides->side[1]);
    free_group(&sides->leaders);
}
