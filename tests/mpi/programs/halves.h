/* An intercommunicator of the even ranks and the odd ones, made of their groups: by @tag. */
#ifndef HALVES_H
#define HALVES_H

#include <mpi.h>

static inline MPI_Group half_of_world(int first)
{
    int n;
    MPI_Group world, half;

    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, (int[1][3]){{first, n - 1, 2}}, &half);
    MPI_Group_free(&world);
    return half;
}

static inline MPI_Comm between_halves(const char *tag)
{
    int rank;
    MPI_Group own, other;
    MPI_Comm made;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    own = half_of_world(rank % 2);
    other = half_of_world(1 - rank % 2);
    MPI_Intercomm_create_from_groups(own, 0, other, 0, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                                     &made);
    MPI_Group_free(&own);
    MPI_Group_free(&other);
    return made;
}

#endif
