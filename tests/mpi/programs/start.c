/* start: begins and ends MPI, with a reduction between. With the argument "stopped" rank 1 stops
 * its monitor process for as long as it is in MPI_Init, so that it gets no answer from it. With
 * "leave" the job is ended by MPI_Abort; with "past" MPI is ended past the library, as a tool may
 * do it. With "peak" rank 0 prints the most address space that it has had, in kB, and no more. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void signal_monitor(int number)
{
    if (strtol(getenv("PMI_RANK"), NULL, 10) == 1)
        kill(getppid(), number);
}

static void print_peak(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long kb;

    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmPeak: %ld", &kb) == 1)
            printf("%ld\n", kb);
    if (status)
        fclose(status);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int rank, n, one = 1, sum = 0;

    if (strcmp(mode, "stopped") == 0)
        signal_monitor(SIGSTOP);
    MPI_Init(&argc, &argv);
    if (strcmp(mode, "stopped") == 0)
        signal_monitor(SIGCONT);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (strcmp(mode, "peak") != 0)
        printf("start: rank %d: the sum is %d\n", rank, sum);
    else if (rank == 0)
        print_peak();
    if (strcmp(mode, "leave") == 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (strcmp(mode, "past") == 0)
        PMPI_Finalize();
    else
        MPI_Finalize();
    return sum != n;
}
