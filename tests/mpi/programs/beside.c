/* beside: native nonblocking collectives are under way while a call that makes a communicator is
 * ended, because the last of five ranks dies in it. One is of the living: its receives are posted
 * before that call, in it and after it, and it comes to its end. The other one, which needs the
 * dead rank too, stays incomplete. */
#include "native.h"
#include "sends.h"

#include <mpi.h>
#include <stdio.h>

enum { RANKS = 5, LAST = RANKS - 1 };

static int rank, all[LAST];
static MPI_Request gathered = MPI_REQUEST_NULL;

/* Recursive doubling: 1 and 2 begin, 2 posts its second receive when 3 has begun, and all end with
 * 0. */
static void begin(MPI_Comm living, int first, int last)
{
    if (rank >= first && rank <= last)
        MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, living, &gathered);
}

static void meet(void)
{
    int one = 1, sum;

    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, living, made;
    MPI_Request barrier;
    int size, done, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    native_skip(sends_are_not_counted());
    if (size != RANKS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    MPI_Comm_split(MPI_COMM_WORLD, rank == LAST ? MPI_UNDEFINED : 0, 0, &living);
    if (rank != LAST)
        MPI_Ibarrier(parent, &barrier);
    begin(living, 1, 2);
    meet();
    begin(living, 3, 3);
    sends_left = rank == LAST;
    MPI_Comm_dup(parent, &made);
    MPI_Comm_size(made, &size);
    wrong += size != LAST;
    begin(living, 0, 0);
    MPI_Wait(&gathered, MPI_STATUS_IGNORE);
    for (int i = 0; i < LAST; i++)
        wrong += all[i] != i;
    MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
    wrong += done;
    printf("beside: rank %d: %d wrong\n", rank, wrong);
    MPI_Finalize();
    return wrong > 0;
}
