/* posthumous: rank 1 begins to send a message that must be received, the first one to rank 0, for
 * which UCX makes it known there, and dies. Rank 0 looks at what has come only then. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { PAUSE_US = 1000, LOOKS = 1000, TAG = 1, OTHER_TAG };

static const char name[] = "sender"; /* a file with its process */

static void send_and_die(void)
{
    MPI_Request request;
    int value = 1;
    FILE *file;

    MPI_Issend(&value, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &request);
    file = fopen("sender.new", "w");
    fprintf(file, "%d\n", (int)getpid());
    fclose(file);
    rename("sender.new", name);
    raise(SIGKILL);
}

static void await_end_of_sender(void)
{
    FILE *file;
    int pid;

    while (!(file = fopen(name, "r")))
        usleep(PAUSE_US);
    if (fscanf(file, "%d", &pid) != 1)
        perror(name);
    fclose(file);
    while (kill(pid, 0) == 0)
        usleep(PAUSE_US);
}

static void look(void)
{
    int flag;

    for (int i = 0; i < LOOKS; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, OTHER_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, one = 1, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        send_and_die();
    if (rank == 0) {
        await_end_of_sender();
        look();
    }
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("posthumous: %d in the sum\n", sum);
    MPI_Finalize();
    return 0;
}
