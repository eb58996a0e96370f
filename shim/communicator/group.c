#include "group.h"

#include <stdlib.h>

static bool translate(MPI_Group group, int size, int *own, int *world_rank)
{
    MPI_Group world;
    int rv;

    for (int i = 0; i < size; i++)
        own[i] = i;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    rv = PMPI_Group_translate_ranks(group, size, own, world, world_rank);
    PMPI_Group_free(&world);
    return rv == MPI_SUCCESS;
}

int *ftc_group_world_ranks(MPI_Group group, int *size)
{
    int *own, *world_rank, n = 0;

    if (PMPI_Group_size(group, &n) != MPI_SUCCESS)
        return NULL;
    own = calloc((size_t)n + 1, sizeof *own);
    world_rank = calloc((size_t)n + 1, sizeof *world_rank);
    if (!own || !world_rank || !translate(group, n, own, world_rank)) {
        free(world_rank);
        world_rank = NULL;
    }
    free(own);
    *size = n;
    return world_rank;
}

int *ftc_group_world_ranks_of(MPI_Comm comm, int *size)
{
    MPI_Group group;
    int *world_rank;

    if (PMPI_Comm_group(comm, &group) != MPI_SUCCESS)
        return NULL;
    world_rank = ftc_group_world_ranks(group, size);
    PMPI_Group_free(&group);
    return world_rank;
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
