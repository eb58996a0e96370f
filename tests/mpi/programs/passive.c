/* passive: rank 0 waits in a call while rank 1 works on its window, for which it needs looks of
 * rank 0's at what has come.
 *
 *     passive CALL         MPI_Allreduce, MPI_Barrier, MPI_Recv or MPI_Win_free
 *
 * Rank 0 prints "passive: CALL: looked on" if it did so after it had found something, without a
 * sleep; else how often it slept first. What is counted stands before others' functions of that
 * name, and calls these. */
#include "sends.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WORKS = 1000, LOOKS = 32, SOME = 10 };

static int rank, asleep, looks_to_come;
static MPI_Win win;

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*next)(void *);
    unsigned events;

    if (!next) {
        void *found = dlsym(RTLD_NEXT, "ucp_worker_progress");

        memcpy(&next, &found, sizeof next);
    }
    events = next(worker);
    if (events != 0)
        looks_to_come = LOOKS;
    else if (looks_to_come > 0)
        looks_to_come--;
    return events;
}

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    asleep += looks_to_come > 0;
    return (int)syscall(SYS_nanosleep, wanted, left);
}

static void work(void)
{
    int value = 1;

    for (int i = 0; i < WORKS; i++) {
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
    }
}

static void wait_in(const char *call)
{
    int mine = 1, all = 0;

    if (strcmp(call, "MPI_Allreduce") == 0)
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else if (strcmp(call, "MPI_Barrier") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    else if (strcmp(call, "MPI_Recv") == 0 && rank == 0)
        MPI_Recv(&all, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (strcmp(call, "MPI_Recv") == 0)
        MPI_Send(&mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const char *call = argc > 1 ? argv[1] : "";
    int *memory;

    MPI_Init(NULL, NULL);
    native_skip(sends_are_not_counted());
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    asleep = 0;
    if (rank == 1)
        work();
    if (strcmp(call, "MPI_Win_free") != 0)
        wait_in(call);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    if (rank == 0 && asleep < SOME)
        printf("passive: %s: looked on\n", call);
    else if (rank == 0)
        printf("passive: %s: slept %d times\n", call, asleep);
    MPI_Finalize();
    return 0;
}
