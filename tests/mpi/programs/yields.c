/* yields: whether a rank that waits in native MPI lets other processes have its core.
 *
 *     yields always|never
 *
 * Rank 1 waits in MPI_Recv for rank 0, which sends once rank 1 has called sched_yield() there many
 * times (always), or once it has used the core for a while (never). With another device of MPICH
 * than ch4:ucx nothing yields, whatever is asked. */
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 1000, A_WHILE_NS = 20000000 };

struct shared {
    _Atomic int yields;
    _Atomic pid_t waiter;
};
static struct shared *shared;

/* In place of the C library's, for the libraries of this program too. */
int sched_yield(void)
{
    if (shared)
        shared->yields++;
    return 0;
}

static struct shared *share(int rank)
{
    MPI_Win window;
    MPI_Aint bytes;
    void *memory;
    int unit;

    MPI_Win_allocate_shared(rank == 0 ? sizeof(struct shared) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                            &memory, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &memory);
    if (rank == 0)
        memset(memory, 0, sizeof(struct shared));
    MPI_Barrier(MPI_COMM_WORLD);
    return memory;
}

static int is_ucx(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    MPI_Get_library_version(version, &length);
    return strstr(version, "ch4:ucx") != NULL;
}

static int64_t used_ns(pid_t pid)
{
    struct timespec used = {0};
    clockid_t clock;

    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        MPI_Abort(MPI_COMM_WORLD, 9);
    return used.tv_sec * INT64_C(1000000000) + used.tv_nsec;
}

static void await(struct shared *s, int always)
{
    int64_t since_ns;
    pid_t waiter;

    do
        waiter = s->waiter;
    while (waiter == 0);
    since_ns = used_ns(waiter);
    while (always ? s->yields < MANY : used_ns(waiter) < since_ns + A_WHILE_NS)
        ;
}

int main(int argc, char **argv)
{
    int always, rank, message = 0;
    struct shared *s;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 2)
        MPI_Abort(MPI_COMM_WORLD, 9);
    always = strcmp(argv[1], "always") == 0 && is_ucx();
    s = share(rank);
    if (rank == 0) {
        await(s, always);
        MPI_Send(&message, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        shared = s;
        s->waiter = getpid();
        MPI_Recv(&message, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        shared = NULL;
        printf("yields: %s\n",
               (always ? s->yields >= MANY : s->yields == 0) ? "as asked" : "not as asked");
    }
    MPI_Finalize();
    return 0;
}
