/* unreached: rank 0 dies while MPI's part of MPI_Comm_dup sends it the first message of another
 * rank: UCX, which makes the two known to each other then, cannot send it (libcannot_send.so,
 * preloaded behind the library under test). The survivors make a communicator without rank 0. */
#include "native.h"

#include <stdio.h>
#include <unistd.h>

extern int victim;
int victim; /* its process, from now on; 0: nobody is to die */

int main(int argc, char **argv)
{
    int rank, pid, all, one = 1, sum = 0;
    MPI_Comm copy;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    native_skip(native_device_is("ch4:ucx") ? NULL : "MPICH does not send by UCX here");
    pid = rank == 0 ? (int)getpid() : 0;
    MPI_Allreduce(&pid, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    victim = rank == 0 ? 0 : all;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy);
    printf("unreached: rank %d: %d in the sum\n", rank, sum);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
