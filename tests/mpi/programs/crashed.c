/* crashed: rank 1 crashes, the others go on with allreduces.
 *
 *     crashed buffer    inside of the library, which reads a buffer that is not there
 *     crashed handled   likewise, and the program has a handler of its own for that
 *     crashed program   in the program's own code
 *     crashed trapped   by a floating-point exception that it has enabled, in a sum of the library
 *     crashed sent      by the signal of a crash that another process sends while it waits inside
 *                       of the library
 *
 * The survivors of a crash inside of the library go on until the job is ended. The others say that
 * they went on. */
#include <fenv.h>
#include <math.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 4, AFTER = 20, STATUS = 3, LATER_US = 300000 };

static int rank;
static double in[COUNT], out[COUNT];
static int *volatile nowhere = (int *)sizeof(int);

static void on_crash(int number)
{
    static const char text[] = "crashed: a handler\n";

    (void)number;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(STATUS);
}

static void sum(const void *from)
{
    MPI_Allreduce(from, out, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* A process of its own sends it; rank 0 comes only later. */
static void be_sent_a_signal(void)
{
    pid_t self = getpid();

    if (fork() != 0)
        return;
    usleep(LATER_US);
    kill(self, SIGSEGV);
    _exit(0);
}

static void crash(const char *scene)
{
    if (strcmp(scene, "program") == 0)
        *nowhere = 1;
    else if (strcmp(scene, "sent") == 0)
        be_sent_a_signal();
    else if (strcmp(scene, "trapped") == 0)
        feenableexcept(FE_INVALID);
    else
        sum((const void *)sizeof in);
}

static bool is_inside(const char *scene)
{
    return strcmp(scene, "buffer") == 0 || strcmp(scene, "handled") == 0;
}

int main(int argc, char **argv)
{
    const char *scene = argc > 1 ? argv[1] : "";

    if (strcmp(scene, "handled") == 0)
        signal(SIGSEGV, on_crash);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sum(in);
    if (strcmp(scene, "trapped") == 0)
        in[0] = rank == 1 ? INFINITY : -INFINITY;
    if (rank == 1)
        crash(scene);
    if (rank == 0 && strcmp(scene, "sent") == 0)
        usleep(3 * LATER_US);
    for (int i = 0; i < AFTER || is_inside(scene); i++)
        sum(in);
    printf("crashed: rank %d went on\n", rank);
    MPI_Finalize();
    return 0;
}
