/* operations: a number of failure-free operations, for those who watch from outside or inside.
 *
 *     operations COUNT [TRACE]
 *     operations COUNT --pairs
 *
 * After a warm-up in all sizes, COUNT times an MPI_Allreduce and an MPI_Reduce of 8 bytes. With
 * --pairs each two ranks have a communicator of their own in the warm-up, and so have talked with
 * each other. Each rank prints one line:
 *
 *     rank,allocations,kib
 *
 * allocations: calls of malloc and its kin in the loop, if libcount_allocations.so is preloaded,
 * else empty.
 *
 * kib: memory after the loop, of this process and, where there is one, its monitor process: their
 * own pages and their part of shared ones, but for pages of files, which programs share that have
 * nothing to do with this job.
 *
 * With TRACE each rank has its loop watched by strace, whose summary goes to file TRACE.rank.
 * strace joins only then, because the library starts no monitor process under a debugger. */
#include "count_allocations.h"
#include "shared_page.h"

#include <mpi.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WARM_UP = 50, MAX_ELEMENTS = 512 };

static int rank, ranks;
static struct shared_page *page;
static double mine[MAX_ELEMENTS], sum[MAX_ELEMENTS];

static void operate(int count, int elements)
{
    for (int i = 0; i < count; i++) {
        mine[0] = rank + i;
        MPI_Allreduce(mine, sum, elements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Reduce(mine, sum, elements, MPI_DOUBLE, MPI_SUM, i % ranks, MPI_COMM_WORLD);
    }
}

/* Who is with whom in a round in which each has another one, of an even number of ranks. */
static int partner(int round)
{
    int last = ranks - 1;

    if (rank == last)
        return round;
    return rank == round ? last : (2 * round - rank + last) % last;
}

static void operate_in_pairs(void)
{
    for (int round = 0; round < ranks - 1; round++) {
        int other = partner(round);
        MPI_Comm pair;

        MPI_Comm_split(MPI_COMM_WORLD, rank < other ? rank : other, rank, &pair);
        for (int i = 0; i < WARM_UP; i++)
            MPI_Reduce(mine, sum, MAX_ELEMENTS, MPI_DOUBLE, MPI_SUM, i % 2, pair);
        MPI_Comm_free(&pair);
    }
}

/* What the process holds alone and its part of what it shares, without the pages of files. */
static long memory_kib(pid_t pid)
{
    char path[64], line[256];
    long kib, total = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    file = fopen(path, "r");
    if (!file) {
        perror(path);
        MPI_Abort(MPI_COMM_WORLD, 1);
        return 0;
    }
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "Pss_Anon: %ld", &kib) == 1 || sscanf(line, "Pss_Shmem: %ld", &kib) == 1)
            total += kib;
    fclose(file);
    return total;
}

/* The parent is this rank's monitor process if it runs the same program. */
static bool has_monitor(void)
{
    char path[64], own[256] = "", parent[256] = "";

    snprintf(path, sizeof path, "/proc/%d/exe", (int)getppid());
    return readlink("/proc/self/exe", own, sizeof own - 1) > 0 &&
           readlink(path, parent, sizeof parent - 1) > 0 && strcmp(own, parent) == 0;
}

static unsigned long long allocations(void)
{
    return bench_allocations ? bench_allocations() : 0;
}

static bool is_traced(void)
{
    char line[256];
    int tracer = 0;
    FILE *file = fopen("/proc/self/status", "r");

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "TracerPid: %d", &tracer) == 1)
            break;
    if (file)
        fclose(file);
    return tracer != 0;
}

/* Returns strace's process id once it watches. */
static pid_t trace_begin(const char *prefix)
{
    char file[512], self[16];
    char *command[] = {"strace", "-q", "-c", "-f", "-o", file, "-p", self, NULL};
    pid_t tracer;

    snprintf(file, sizeof file, "%s.%d", prefix, rank);
    snprintf(self, sizeof self, "%d", (int)getpid());
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    if (posix_spawnp(&tracer, "strace", NULL, NULL, command, environ) != 0) {
        perror("strace");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    while (!is_traced())
        if (waitpid(tracer, NULL, WNOHANG) != 0) {
            fprintf(stderr, "operations: strace cannot watch rank %d\n", rank);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    return tracer;
}

static void trace_end(pid_t tracer)
{
    kill(tracer, SIGINT);
    waitpid(tracer, NULL, 0);
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 1000;
    long kib;
    bool in_pairs = argc > 2 && strcmp(argv[2], "--pairs") == 0;
    const char *trace = argc > 2 && !in_pairs ? argv[2] : NULL;
    unsigned long long before;
    pid_t tracer = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    page = shared_page_open();
    for (int elements = 1; elements <= MAX_ELEMENTS; elements *= 8)
        operate(WARM_UP, elements);
    if (in_pairs)
        operate_in_pairs();
    if (trace)
        tracer = trace_begin(trace);
    shared_barrier(page, ranks);
    before = allocations();
    operate(count, 1);
    before = allocations() - before;
    if (trace)
        trace_end(tracer);

    shared_barrier(page,
                   ranks); /* all are there when the memory that they share is divided among them */
    kib = memory_kib(getpid()) + (has_monitor() ? memory_kib(getppid()) : 0);
    shared_barrier(page, ranks);
    if (bench_allocations)
        printf("%d,%llu,%ld\n", rank, before, kib);
    else
        printf("%d,,%ld\n", rank, kib);
    MPI_Finalize();
    return 0;
}
