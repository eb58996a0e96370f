/* names [gather|barrier]: reductions of a C++ function that is exported, and of one that is not and lies
 * behind it: in a stripped program the nearest symbol is the wrong one. Ranks die as setting crash says;
 * with "gather" the others then make a call that is not protected, with "barrier" all are through with
 * the reductions before any is in MPI_Finalize. */
#include <iostream>
#include <mpi.h>
#include <string>

enum { ROUNDS = 6 };

static int refused;

namespace model {

__attribute__((noinline, visibility("default"))) void energy(int count, double weight)
{
    double own = weight, all = 0;

    refused += MPI_Allreduce(&own, &all, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS;
}

__attribute__((noinline, visibility("default"))) void collect(int rank)
{
    int all[64];

    MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    std::cout << "names: collected\n"; /* the call before is no tail call */
}

} // namespace model

__attribute__((noinline)) static void hidden(int round)
{
    int all = 0;

    refused += 100 * (MPI_Allreduce(&round, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD) != MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int round = 0; round < ROUNDS; round++) {
        model::energy(1, round);
        hidden(round);
    }
    std::cout << "names: " + std::to_string(refused) + " refused\n" << std::flush;
    if (argc > 1 && argv[1] == std::string("gather"))
        model::collect(rank);
    else if (argc > 1)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
