#include "group.h"

#include "value/datatype.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

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

/* Cuts the group that MPI returns to the size of @comm. For a grid or graph that does not have all
 * ranks of the old communicator, MPICH 5.0.2 returns the group of the old one. */
MPI_Group ftc_group_of(MPI_Comm comm)
{
    MPI_Group group, members;
    int size, named, first[1][3] = {{0, 0, 1}};

    if (PMPI_Comm_group(comm, &group) != MPI_SUCCESS)
        return MPI_GROUP_NULL;
    PMPI_Comm_size(comm, &size);
    PMPI_Group_size(group, &named);
    if (named <= size)
        return group;
    first[0][1] = size - 1;
    PMPI_Group_range_incl(group, 1, first, &members);
    PMPI_Group_free(&group);
    return members;
}

int *ftc_group_world_ranks_of(MPI_Comm comm, int *size)
{
    MPI_Group group = ftc_group_of(comm);
    int *world_rank;

    if (group == MPI_GROUP_NULL)
        return NULL;
    world_rank = ftc_group_world_ranks(group, size);
    PMPI_Group_free(&group);
    return world_rank;
}

MPI_Group ftc_group_of_peers(MPI_Comm comm)
{
    MPI_Group remote;

    if (!ftc_is_inter(comm))
        return ftc_group_of(comm);
    PMPI_Comm_remote_group(comm, &remote);
    return remote;
}

/* Returns the union of @one and @other, which it frees. */
static MPI_Group unite(MPI_Group one, MPI_Group other)
{
    MPI_Group both;

    PMPI_Group_union(one, other, &both);
    PMPI_Group_free(&one);
    PMPI_Group_free(&other);
    return both;
}

MPI_Group ftc_group_of_both(MPI_Comm intercomm)
{
    MPI_Group local, remote;

    PMPI_Comm_group(intercomm, &local);
    PMPI_Comm_remote_group(intercomm, &remote);
    return unite(local, remote);
}

static int lowest_of(const int *world_rank, int size)
{
    int lowest = INT_MAX;

    for (int i = 0; i < size; i++)
        lowest = world_rank[i] < lowest ? world_rank[i] : lowest;
    return lowest;
}

int *ftc_group_world_ranks_of_both(MPI_Comm intercomm, int *remote, int *remote_size)
{
    MPI_Group group;
    int *local = ftc_group_world_ranks_of(intercomm, remote), *other, *both = NULL;
    int local_size = *remote, first;

    PMPI_Comm_remote_group(intercomm, &group);
    other = ftc_group_world_ranks(group, remote_size);
    PMPI_Group_free(&group);
    if (local && other) {
        *remote = lowest_of(local, local_size) < lowest_of(other, *remote_size) ? local_size : 0;
        first = *remote == 0 ? *remote_size : 0;
        both = malloc(((size_t)local_size + (size_t)*remote_size) * sizeof *both);
    }
    if (both) {
        memcpy(both + first, local, (size_t)local_size * sizeof *both);
        memcpy(both + *remote, other, (size_t)*remote_size * sizeof *both);
    }
    free(local);
    free(other);
    return both;
}

static int compare(const void *left, const void *right)
{
    const int *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

MPI_Group ftc_group_of_world(const int *world_rank, int size)
{
    MPI_Group world, some = MPI_GROUP_NULL;

    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_incl(world, size, world_rank, &some);
    PMPI_Group_free(&world);
    return some;
}

MPI_Group ftc_group_of_both_in_order(MPI_Comm intercomm)
{
    MPI_Group both = ftc_group_of_both(intercomm), ordered = MPI_GROUP_NULL;
    int size, *world_rank = ftc_group_world_ranks(both, &size);

    PMPI_Group_free(&both);
    if (!world_rank)
        return MPI_GROUP_NULL;
    qsort(world_rank, (size_t)size, sizeof *world_rank, compare);
    if (world_rank[0] >= 0) /* MPI_UNDEFINED is below 0 */
        ordered = ftc_group_of_world(world_rank, size);
    free(world_rank);
    return ordered;
}

bool ftc_group_is_in_world(MPI_Comm intercomm)
{
    MPI_Group both = ftc_group_of_both_in_order(intercomm);
    bool is = both != MPI_GROUP_NULL;

    if (is)
        PMPI_Group_free(&both);
    return is;
}

bool ftc_group_has_this_rank(MPI_Group group)
{
    int rank = MPI_UNDEFINED;

    PMPI_Group_rank(group, &rank);
    return rank != MPI_UNDEFINED;
}

int ftc_group_lowest(MPI_Group group)
{
    int size = 0, *world_rank = ftc_group_world_ranks(group, &size);
    int lowest = world_rank ? lowest_of(world_rank, size) : INT_MAX;

    free(world_rank);
    return lowest;
}

/* Returns the group of the one process to which rank @rank in calls on @comm refers; MPI_GROUP_NULL
 * if there is none. */
static MPI_Group only(MPI_Comm comm, int rank)
{
    int size;
    MPI_Group all, one = MPI_GROUP_NULL;

    if (!ftc_is_comm(comm))
        return MPI_GROUP_NULL;
    all = ftc_group_of_peers(comm);
    PMPI_Group_size(all, &size);
    if (rank >= 0 && rank < size)
        PMPI_Group_incl(all, 1, &rank, &one);
    PMPI_Group_free(&all);
    return one;
}

MPI_Group ftc_group_with_leader(MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader)
{
    MPI_Group members, leader;
    int rank;

    if (!ftc_is_comm(local))
        return MPI_GROUP_NULL;
    members = ftc_group_of(local);
    PMPI_Comm_rank(local, &rank);
    if (rank != local_leader)
        return members;
    leader = only(peer, remote_leader);
    return leader == MPI_GROUP_NULL ? members : unite(members, leader);
}
