#include "group.h"

#include <stdlib.h>

bool ftc_group_world_ranks(MPI_Group group, int size, int *world_rank)
{
    MPI_Group world;
    int *own = malloc((size_t)size * sizeof *own), rv;

    if (!own)
        return false;
    for (int i = 0; i < size; i++)
        own[i] = i;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    rv = PMPI_Group_translate_ranks(group, size, own, world, world_rank);
    PMPI_Group_free(&world);
    free(own);
    return rv == MPI_SUCCESS;
}

MPI_Group ftc_group_of_peers(MPI_Comm comm, bool inter)
{
    MPI_Group members;

    if (inter)
        PMPI_Comm_remote_group(comm, &members);
    else
        PMPI_Comm_group(comm, &members);
    return members;
}
