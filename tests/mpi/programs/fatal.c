/* fatal: MPI itself ends the job. The world is split in two; the last rank makes an erroneous call,
 * while all others are in a reduction that needs it. As natively, nobody may get past that.
 *
 *     fatal unset|dup|group|fatal|abort|self    the erroneous call's communicator, or its handler
 *     fatal call                                MPI_Abort on the half
 *     fatal call-crash                          the same, and a signal ends it on its way out
 *     fatal call-dead                           the same, of which rank 1 has died
 *     fatal call-dead-late                      likewise, and MPI takes its time to say why, before
 *                                               it tells the launcher
 *     fatal call-killed                         the same, and it is killed before its monitor
 *                                               process has had a core to hear of that
 *     fatal read                                no erroneous call: the last rank receives a large
 *                                               message of rank 1, which has died, and UCX aborts
 *
 * One that is not MPI's doing: the error handler of the half ends this rank, which others survive.
 *
 *     fatal handler */
#include "native.h"
#include "process_state.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { STATUS = 6, LATER_US = 200000, LARGE = 1 << 18, BEFORE = 3 };

static int rank, n;

static void leave(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    exit(STATUS);
}

static void crash(void)
{
    raise(SIGALRM);
}

static void await_state(pid_t pid, char state)
{
    while (process_state(pid, '?') != state)
        usleep(1000);
}

/* Returns whether @fd is the socket to the monitor process, the only one of its type, and holds a
 * message that is unread. */
static int is_unread(int fd)
{
    int type = 0, bytes = 0;
    socklen_t size = sizeof type;

    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET &&
           ioctl(fd, SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

static int has_told_its_monitor(void)
{
    DIR *descriptors = opendir("/proc/self/fd");
    const struct dirent *entry;
    int has_told = 0;

    while (!has_told && (entry = readdir(descriptors)))
        has_told = is_unread(atoi(entry->d_name));
    closedir(descriptors);
    return has_told;
}

/* Starts a process that kills this one once its monitor process, which stands still, has a message
 * of it. That process has the same descriptors. */
static void be_killed_unheard(void)
{
    pid_t self = getpid(), monitor = getppid();

    kill(monitor, SIGSTOP);
    await_state(monitor, 'T');
    if (fork() != 0)
        return;
    while (!has_told_its_monitor())
        usleep(1000);
    kill(self, SIGKILL);
    await_state(self, 'Z');
    kill(monitor, SIGCONT);
    _exit(0);
}

/* What MPI says stands still until a process of its own reads it. */
static void say_late(void)
{
    char full[1 << 16];
    int end[2];

    if (pipe(end) != 0 || fcntl(end[1], F_SETFL, O_NONBLOCK) != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    memset(full, 'x', sizeof full);
    while (write(end[1], full, sizeof full) > 0)
        ;
    fcntl(end[1], F_SETFL, 0);
    if (fork() == 0) {
        close(end[1]);
        usleep(LATER_US);
        while (read(end[0], full, sizeof full) > 0)
            ;
        _exit(0);
    }
    close(end[0]);
    dup2(end[1], STDERR_FILENO);
    close(end[1]);
}

/* The communicator of the erroneous call. */
static MPI_Comm prepare(const char *scene, MPI_Comm half)
{
    MPI_Comm comm = half;
    MPI_Errhandler handler;
    MPI_Group group;

    MPI_Comm_create_errhandler(leave, &handler);
    if (strcmp(scene, "self") == 0)
        return MPI_COMM_SELF;
    if (strcmp(scene, "dup") == 0)
        MPI_Comm_dup(half, &comm);
    MPI_Comm_group(half, &group);
    if (strcmp(scene, "group") == 0)
        MPI_Comm_create(half, group, &comm);
    MPI_Group_free(&group);
    if (strcmp(scene, "fatal") == 0)
        MPI_Comm_set_errhandler(half, MPI_ERRORS_ARE_FATAL);
    if (strcmp(scene, "call-crash") == 0) {
        native_skip(native_device_is("ch3:nemesis")
                        ? "with this device of MPICH's nobody comes out of MPI_Abort"
                        : NULL);
        atexit(crash);
    }
    if (strcmp(scene, "abort") == 0)
        MPI_Comm_set_errhandler(half, MPI_ERRORS_ABORT);
    if (strcmp(scene, "handler") == 0)
        MPI_Comm_set_errhandler(half, handler);
    MPI_Errhandler_free(&handler);
    return comm;
}

/* UCX reads the data of a large message out of the sender's memory, once it is received. */
static void receive_of_dead(void)
{
    static char data[LARGE];
    MPI_Request request;
    int pid = (int)getpid();

    for (int i = 0; i < BEFORE && rank == 1; i++)
        MPI_Send(data, LARGE, MPI_CHAR, n - 1, 0, MPI_COMM_WORLD);
    for (int i = 0; i < BEFORE && rank == n - 1; i++)
        MPI_Recv(data, LARGE, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) {
        MPI_Send(&pid, 1, MPI_INT, n - 1, 0, MPI_COMM_WORLD);
        MPI_Isend(data, LARGE, MPI_CHAR, n - 1, 0, MPI_COMM_WORLD, &request);
        raise(SIGKILL);
    }
    if (rank == n - 1) {
        MPI_Recv(&pid, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        while (process_state(pid, 'Z') != 'Z')
            usleep(1000);
        MPI_Recv(data, LARGE, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm half, comm;
    int one = 1, all = 0;

    MPI_Init(&argc, &argv);
    if (argc != 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    comm = prepare(argv[1], half);
    if (rank == 1 && strncmp(argv[1], "call-dead", 9) == 0)
        raise(SIGKILL);
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (strcmp(argv[1], "read") == 0) {
        native_skip(native_device_is("ch4:ucx") ? NULL : "this device of MPICH's does not use UCX");
        receive_of_dead();
    } else if (rank == n - 1) {
        if (strcmp(argv[1], "call-killed") == 0)
            be_killed_unheard();
        if (strcmp(argv[1], "call-dead-late") == 0)
            say_late();
        if (strncmp(argv[1], "call", 4) == 0)
            MPI_Abort(half, STATUS);
        MPI_Send(&one, 1, MPI_INT, n, 0, comm); /* MPI_ERR_RANK, which is 6 in MPICH */
    }
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("fatal: %d ranks went on\n", all);
    MPI_Finalize();
    return 0;
}
