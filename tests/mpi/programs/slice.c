/* slice: how long the scheduler lets each rank run, which tells whether the library takes its core
 * for one that is shared.
 *
 *     slice CORE...      each rank stays on its own of these
 *
 * Linux 6.12 or later, scheduling policy SCHED_OTHER. */
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SHORT_NS = 100000 };

/* struct sched_attr of sched_getattr(2), first version; its own header clashes with <sched.h>. */
struct scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
};

/* Before MPI_Init, in which the library looks. */
static void stay(int argc, char **argv)
{
    const char *own = getenv("PMI_RANK");
    cpu_set_t core;

    if (!own || atoi(own) + 1 >= argc)
        exit(2);
    CPU_ZERO(&core);
    CPU_SET(atoi(argv[atoi(own) + 1]), &core);
    if (sched_setaffinity(0, sizeof core, &core) != 0)
        exit(2);
}

int main(int argc, char **argv)
{
    struct scheduling s = {.size = sizeof s};
    int rank;

    stay(argc, argv);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (syscall(SYS_sched_getattr, 0, &s, sizeof s, 0) != 0)
        s.runtime_ns = 0;
    printf("slice: rank %d has %s one\n", rank, s.runtime_ns <= SHORT_NS ? "a short" : "the usual");
    MPI_Finalize();
    return 0;
}
