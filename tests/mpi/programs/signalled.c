/* signalled: each rank counts how often it gets SIGUSR1, until it gets SIGUSR2, and tells.
 *
 * The monitor process may still have one to pass on then. So a child sends it another signal, which
 * it passes on too: what came before has arrived when that has. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t counted, asked, passed_on;

static void on_signal(int number)
{
    if (number == SIGUSR1)
        counted++;
    else if (number == SIGUSR2)
        asked = 1;
    else
        passed_on = 1;
}

static void take(int number)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    sigaction(number, &action, NULL);
}

static void await(const volatile sig_atomic_t *flag, const sigset_t *unblocked)
{
    while (!*flag)
        sigsuspend(unblocked);
}

static void await_monitor(const sigset_t *unblocked)
{
    pid_t monitor = getppid(), child = fork();

    if (child == 0)
        _exit(kill(monitor, SIGURG));
    await(&passed_on, unblocked);
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
    sigset_t ours, before;
    int rank;

    take(SIGUSR1);
    take(SIGUSR2);
    take(SIGURG);
    sigemptyset(&ours);
    sigaddset(&ours, SIGUSR1);
    sigaddset(&ours, SIGUSR2);
    sigaddset(&ours, SIGURG);
    sigprocmask(SIG_BLOCK, &ours, &before); /* UCX starts a thread: that must take none of them */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("go\n");
    fflush(stdout);
    while (!counted)
        sigsuspend(&before);
    printf("signalled: rank %d has one\n", rank);
    fflush(stdout);
    await(&asked, &before);
    await_monitor(&before);
    printf("signalled: rank %d got it %d times\n", rank, (int)counted);
    fflush(stdout);
    sigprocmask(SIG_SETMASK, &before, NULL);
    MPI_Finalize();
    return 0;
}
