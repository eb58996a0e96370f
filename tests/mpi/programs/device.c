/* device: a library that is preloaded, and makes of MPICH one that takes buffers in the memory of
 * NVIDIA's GPUs at rank 1. */
#include <mpi.h>

int MPIX_GPU_query_support(int kind, int *is_supported)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    *is_supported = rank == 1 && kind == MPIX_GPU_SUPPORT_CUDA;
    return MPI_SUCCESS;
}
