/* orphan: rank 1 loses the signal that it gets when its monitor process dies, and then the monitor
 * process, by the hand of rank 0.
 *
 *     orphan HOW WHERE
 *
 * HOW: prctl (it clears its parent-death signal), setuid (it becomes another user), deaf (it also
 * closes all pipes above its standard ones). WHERE: pause (it sits outside of MPI), reduce (it goes
 * on with reductions). The others reduce until its part is missing; with WHERE = barrier they go to
 * a barrier instead. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ORPHAN = 1, NOBODY = 65534, DESCRIPTORS = 1024 };

static void close_pipes(void)
{
    struct stat status;

    for (int fd = STDERR_FILENO + 1; fd < DESCRIPTORS; fd++)
        if (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode))
            close(fd);
}

static void lose_signal(const char *how)
{
    int number = SIGKILL;

    if (strcmp(how, "setuid") == 0)
        number = setuid(NOBODY);
    else
        prctl(PR_SET_PDEATHSIG, 0);
    if (strcmp(how, "deaf") == 0)
        close_pipes();
    prctl(PR_GET_PDEATHSIG, &number);
    if (number != 0)
        printf("orphan: it still has a parent-death signal\n");
}

static int parts(void)
{
    int one = 1, sum = 0;

    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[1] : "", *where = argc > 2 ? argv[2] : "";
    int rank, n, monitor = 0, others;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (rank == ORPHAN) {
        monitor = getppid();
        lose_signal(how);
    }
    MPI_Bcast(&monitor, 1, MPI_INT, ORPHAN, MPI_COMM_WORLD);
    if (rank == ORPHAN && strcmp(where, "reduce") != 0)
        for (;;)
            pause();
    if (rank == 0)
        kill(monitor, SIGKILL);
    if (strcmp(where, "barrier") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    do
        others = parts();
    while (others == n);
    printf("orphan: rank %d goes on with %d\n", rank, others);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
