/* windows: rank 1 dies, and the others free a window that it is a member of.
 *
 *     windows FLAVOR       create, allocate, shared or dynamic: it dies with a lock on all others
 *     windows inside       it dies in MPI_Win_free itself, when the others are in it
 *     windows threads      as create, but threads free two windows in different orders
 *     windows lock         it dies with a lock that rank 2 wants
 *     windows under-way    it dies when all that it adds to rank 0's memory is on its way
 *     windows alive        nobody dies: MPI has the window back
 *     windows often        nobody dies, and of many windows nothing is kept
 *
 * Survivors print "windows: RANK: N in the sum", or what is wrong. */
#include "native.h"

#include <ftcoll.h>
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VICTIM = 1, BYTES = 64, LATE_US = 100000 };

static int rank, deleted;
static char memory[2][BYTES];

static void check(int is_right, const char *what)
{
    if (is_right)
        return;
    printf("windows: %d: wrong: %s\n", rank, what);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static MPI_Win make(const char *flavor)
{
    void *base;
    MPI_Win win;

    if (strcmp(flavor, "allocate") == 0)
        MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    else if (strcmp(flavor, "shared") == 0)
        MPI_Win_allocate_shared(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    else if (strcmp(flavor, "dynamic") == 0)
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    else
        MPI_Win_create(memory[0], BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    return win;
}

static void die(void)
{
    kill(getpid(), SIGKILL);
}

/* Of an attribute of the program's: called before the window is gone, once. */
static int on_free(MPI_Win win, int keyval, void *value, void *extra)
{
    MPI_Group group;

    (void)keyval;
    (void)extra;
    MPI_Win_get_group(win, &group);
    MPI_Group_free(&group);
    deleted++;
    if (value && rank == VICTIM)
        die();
    return MPI_SUCCESS;
}

static void give_attribute(MPI_Win win, void *value)
{
    int keyval;

    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_free, &keyval, NULL);
    MPI_Win_set_attr(win, keyval, value);
    MPI_Win_free_keyval(&keyval);
}

static void free_it(MPI_Win *win)
{
    check(MPI_Win_free(win) == MPI_SUCCESS, "MPI_Win_free fails");
    check(*win == MPI_WIN_NULL, "the handle is not MPI_WIN_NULL");
}

static void lock_all_others(MPI_Win win)
{
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size; i++)
        if (i != VICTIM)
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, i, 0, win);
}

static void with_locks(const char *flavor)
{
    MPI_Win win = make(flavor);

    give_attribute(win, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == VICTIM) {
        lock_all_others(win);
        die();
    }
    free_it(&win);
    check(deleted == 1, "the attribute is not deleted once");
}

static void inside(void)
{
    MPI_Win win = make("allocate");

    give_attribute(win, &deleted);
    free_it(&win);
    check(deleted == 1, "the attribute is not deleted once");
}

static void *free_in_thread(void *win)
{
    free_it(win);
    return NULL;
}

/* In no order on even ranks, in different orders on the others. */
static void in_threads(void)
{
    MPI_Win win[2];
    pthread_t thread;
    int first = rank == 3;

    for (int i = 0; i < 2; i++)
        MPI_Win_create(memory[i], BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win[i]);
    if (rank == VICTIM)
        die();
    if (rank % 2 == 0)
        pthread_create(&thread, NULL, free_in_thread, &win[1]);
    free_it(&win[first]);
    if (rank % 2 == 0)
        pthread_join(thread, NULL);
    else
        free_it(&win[!first]);
}

/* MPI gets a block of memory now and then, and not each time. */
static void often(void)
{
    enum { OFTEN = 100 };
    size_t most = 0;
    int grown = 0;

    for (int i = 0; i < OFTEN; i++) {
        MPI_Win win = make("create");

        free_it(&win);
        if (mallinfo2().uordblks > most) {
            most = mallinfo2().uordblks;
            grown++;
        }
    }
    check(grown <= OFTEN / 2, "memory of windows is kept");
}

static void wanted_lock(void)
{
    MPI_Win win = make("create");

    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == VICTIM)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == VICTIM)
        die();
    if (rank == 2)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    free_it(&win);
}

/* Without a look of native MPI's at what comes. */
static void await_death(void)
{
    int dead;

    while (ftcoll_failed_ranks(MPI_COMM_WORLD, 1, &dead) == 0)
        usleep(1000);
}

/* MPI adds to the memory of rank 0 when that looks. It comes last: the others do not keep it. */
static void under_way(void)
{
    MPI_Win win = make("create");
    const signed char one = 1;
    int arrived = 0;

    if (rank == VICTIM)
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; rank == VICTIM && i < BYTES / 2; i++)
        MPI_Accumulate(&one, 1, MPI_SIGNED_CHAR, 0, i, 1, MPI_SIGNED_CHAR, MPI_SUM, win);
    if (rank == VICTIM)
        die();
    await_death();
    if (rank == 0)
        usleep(LATE_US);
    free_it(&win);
    for (int i = 0; rank == 0 && i < BYTES; i++)
        arrived += memory[0][i];
    check(rank != 0 || arrived == BYTES / 2, "what was under way arrives later");
}

/* MPICH gives the handle of a window that it has freed to the next. */
static void alive(void)
{
    MPI_Win win = make("allocate"), before = win;

    give_attribute(win, NULL);
    free_it(&win);
    check(deleted == 1, "the attribute is not deleted once");
    win = make("create");
    check(win == before, "MPI has not freed the window");
    free_it(&win);
}

/* Why native MPI does not do here what @what looks at, or NULL. Collective. */
static const char *what_is_lacking(const char *what)
{
    if (strcmp(what, "shared") == 0 && !native_shares_memory())
        return "this MPI finds no memory that all share";
    if (strcmp(what, "lock") == 0 && native_device_is("ch3:nemesis"))
        return "with this device of MPICH's MPI_Win_lock does not wait";
    return strcmp(what, "inside") == 0 ? native_cannot_be_left() : NULL;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "create";
    int one = 1, sum = 0, provided;

    if (strcmp(what, "threads") == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    native_skip(what_is_lacking(what));
    if (strcmp(what, "threads") == 0)
        in_threads();
    else if (strcmp(what, "inside") == 0)
        inside();
    else if (strcmp(what, "lock") == 0)
        wanted_lock();
    else if (strcmp(what, "under-way") == 0)
        under_way();
    else if (strcmp(what, "alive") == 0)
        alive();
    else if (strcmp(what, "often") == 0)
        often();
    else
        with_locks(what);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("windows: %d: %d in the sum\n", rank, sum);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
