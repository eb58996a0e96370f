/* checkpoint: ranks that save their work when a batch system tells them to, and then end well.
 *
 *     checkpoint [STATUS]
 *
 * Each rank handles the signals below. Once one rank has got one, all agree on it, and write their
 * checkpoint until there is a file "saved". Then they end MPI, go on as long as there is a file
 * "busy", and exit with STATUS. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int handled[] = {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGXCPU, SIGTSTP};
enum { HANDLED = sizeof handled / sizeof handled[0] };

static volatile sig_atomic_t got;

static void on_signal(int number)
{
    got = number;
}

static void handle_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    for (int i = 0; i < HANDLED; i++)
        sigaction(handled[i], &action, NULL);
}

/* The largest @mine of all ranks that live. */
static int agree(int mine)
{
    int all = 0;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

/* Returns the signal. */
static int compute(void)
{
    int signal = 0;

    while (signal == 0)
        signal = agree(got);
    return signal;
}

static void save(void)
{
    while (agree(access("saved", F_OK) == 0) == 0)
        ;
}

static void work_after_mpi(void)
{
    while (access("busy", F_OK) == 0)
        usleep(10000);
}

static void say(int rank, const char *what, int signal)
{
    printf("checkpoint: rank %d %s after signal %d (SIG%s)\n", rank, what, signal,
           sigabbrev_np(signal));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int rank, signal;

    handle_signals();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (agree(0) == 0 && rank == 0)
        printf("go\n");
    fflush(stdout);
    signal = compute();
    say(rank, "saves", signal);
    save();
    say(rank, "has saved", signal);
    MPI_Finalize();
    work_after_mpi();
    return argc > 1 ? atoi(argv[1]) : 0;
}
