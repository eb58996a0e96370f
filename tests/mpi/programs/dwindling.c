/* dwindling: the first VICTIMS ranks die by timers of their own, each at a random instant within
 * MILLISECONDS. The others make communicator after communicator of the last one, by WAY (dup,
 * split, group or merge), reduce on each and free the one before, until only survivors are left and
 * for some rounds more. With --threads two threads do so at once.
 *
 *     dwindling [--threads] WAY SEED VICTIMS MILLISECONDS
 *
 * A rank whose messages UCX does not deliver any more has an error, and so have all others: after
 * twice three times blocked_ms, which is to be 1000; with threads after three times, because two
 * calls of the rank wait at the same time. */
#include "casualties.h"
#include "fault.h"

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS_MORE = 5, NS_PER_MS = 1000000, ERROR_AFTER_S = 5, THREADS_ERROR_AFTER_S = 2 };

static int rank, n, victims;
static const char *way;
static atomic_int problems, errors;
static double begun, error_after_s = ERROR_AFTER_S;

/* Kills this process from the kernel's hand, wherever it is then. */
static void die_after(long ms)
{
    struct sigevent kill = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec at = {
        .it_value = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * NS_PER_MS + 1}};
    timer_t timer;

    if (timer_create(CLOCK_MONOTONIC, &kill, &timer) != 0 ||
        timer_settime(timer, 0, &at, NULL) != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
}

static bool has_failed(int rv)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (rv == MPI_SUCCESS)
        return false;
    MPI_Error_string(rv, text, &length);
    printf("dwindling: rank %d has an error: %s\n", rank, text);
    errors++;
    problems += MPI_Wtime() - begun < error_after_s;
    return true;
}

static int make_of_group(MPI_Comm last, MPI_Comm *made)
{
    MPI_Group group;
    int rv;

    MPI_Comm_group(last, &group);
    rv = MPI_Comm_create_group(last, group, 1, made);
    MPI_Group_free(&group);
    return rv;
}

/* Of @last, which of merge is an intercommunicator. */
static int make(MPI_Comm last, MPI_Comm *made)
{
    if (strcmp(way, "split") == 0)
        return MPI_Comm_split(last, 0, 0, made);
    if (strcmp(way, "group") == 0)
        return make_of_group(last, made);
    return MPI_Comm_dup(last, made);
}

/* False after an error. *@all: whose bits the result has. */
static bool reduce(MPI_Comm comm, unsigned *all)
{
    unsigned own = 1U << rank;
    MPI_Comm merged = comm;
    bool is_merge = strcmp(way, "merge") == 0;
    int rv = is_merge ? MPI_Intercomm_merge(comm, rank % 2, &merged) : MPI_SUCCESS;

    if (has_failed(rv))
        return false;
    rv = MPI_Allreduce(&own, all, 1, MPI_UNSIGNED, MPI_BOR, merged);
    if (is_merge)
        MPI_Comm_free(&merged);
    return !has_failed(rv);
}

static void dwindle(MPI_Comm first)
{
    unsigned survivors = (1U << n) - (1U << victims), all = 0;
    MPI_Comm last = first, made;

    for (int more = 0; more < ROUNDS_MORE; more += all == survivors) {
        if (has_failed(make(last, &made)))
            return;
        if (!reduce(made, &all))
            return;
        if ((all & survivors) != survivors) {
            problems++;
            printf("dwindling: rank %d: a result lacks survivors: %x\n", rank, all);
        }
        MPI_Comm_free(&last);
        last = made;
    }
    MPI_Comm_free(&last);
}

static void *thread(void *first)
{
    dwindle(*(MPI_Comm *)first);
    return NULL;
}

static MPI_Comm first_one(void)
{
    MPI_Comm made, half;

    if (strcmp(way, "merge") == 0) {
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &made);
        MPI_Comm_free(&half);
    } else {
        MPI_Comm_dup(MPI_COMM_WORLD, &made);
    }
    MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    return made;
}

int main(int argc, char **argv)
{
    bool threads = argc > 1 && strcmp(argv[1], "--threads") == 0;
    int provided;
    MPI_Comm first, second;
    pthread_t other;
    uint64_t seed;

    argv += threads;
    MPI_Init_thread(NULL, NULL, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (argc - threads != 5)
        MPI_Abort(MPI_COMM_WORLD, 2);
    way = argv[1];
    seed = strtoull(argv[2], NULL, 10) + (uint64_t)rank;
    victims = atoi(argv[3]);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    first = first_one();
    second = first_one();
    casualties_meet();
    begun = MPI_Wtime();
    if (rank < victims)
        die_after((long)(fault_random(seed) % strtoull(argv[4], NULL, 10)));
    if (threads) {
        error_after_s = THREADS_ERROR_AFTER_S;
        pthread_create(&other, NULL, thread, &second);
    }
    dwindle(first);
    if (threads)
        pthread_join(other, NULL);
    if (problems == 0)
        printf("dwindling: rank %d %s\n", rank, errors > 0 ? "knows" : "is content");
    MPI_Finalize();
    return problems > 0;
}
