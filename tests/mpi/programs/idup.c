/* idup: MPI_Comm_idup, which waits for nobody, while all live and after a death. The last rank is
 * the one that dies.
 *
 *     idup [--threads] [--between] SCENE
 *
 * With MPI_THREAD_MULTIPLE, and of an intercommunicator of the even and the odd ranks. The scenes:
 *
 *     idup alive      nobody dies
 *     idup turned     likewise; other ranks make another one before
 *     idup dead       it is dead, and all know from an operation on the communicator
 *     idup spent      likewise; copies are made until MPI has no more
 *     idup traits     likewise; the copy has the error handler and the hints
 *     idup unknown    it is dead, and nobody has been told of that */

#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, n, living;
static bool is_wrong, is_threaded, is_inter;
static MPI_Comm parent, other; /* the one to be copied, and one of all ranks */

static void expect(const char *what, int expected, int found)
{
    if (expected == found)
        return;
    is_wrong = true;
    printf("idup: rank %d: %s: %d instead of %d\n", rank, what, found, expected);
}

/* Of all living ranks; of the even or the odd ones. */
static int living_of(int side)
{
    return is_inter ? (living + 1 - side) / 2 : living;
}

static void expect_members(const char *what, MPI_Comm comm)
{
    int one = 1, sum = 0, size = 0;

    if (comm == MPI_COMM_NULL) {
        expect(what, 1, 0);
        return;
    }
    MPI_Comm_size(comm, &size);
    expect(what, living_of(rank % 2), size);
    if (is_inter) {
        MPI_Comm_remote_size(comm, &size);
        expect(what, living_of(1 - rank % 2), size);
    }
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    expect(what, living_of(1 - rank % 2), sum);
}

/* Each rank of the other side in its place. */
static void expect_order(const char *what, MPI_Comm comm)
{
    int all[64];

    if (comm == MPI_COMM_NULL || !is_inter)
        return;
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm);
    for (int i = 0; i < living_of(1 - rank % 2); i++)
        expect(what, 2 * i + 1 - rank % 2, all[i]);
}

static void expect_all(const char *what, MPI_Comm comm)
{
    expect_members(what, comm);
    expect_order(what, comm);
}

/* On one of all ranks. */
static void reduce(MPI_Comm comm)
{
    int one = 1, sum = 0;

    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    expect("sum", living, sum);
}

static void die_if_last(void)
{
    if (rank == n - 1)
        raise(SIGKILL);
    living = n - 1;
}

static void copy(void)
{
    MPI_Comm made;
    MPI_Request request;

    expect("idup", MPI_SUCCESS, MPI_Comm_idup(parent, &made, &request));
    expect("wait", MPI_SUCCESS, MPI_Wait(&request, MPI_STATUS_IGNORE));
    expect_all("the copy", made);
    MPI_Comm_idup(made, &made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_all("a copy of it", made);
}

/* Other ranks make one of another communicator first. */
static void turned(void)
{
    MPI_Comm made, both;
    MPI_Request request;

    if (rank != 0)
        MPI_Comm_dup(other, &both);
    MPI_Comm_idup(parent, &made, &request);
    if (rank == 0)
        MPI_Comm_dup(other, &both);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_all("the copy", made);
    reduce(both);
}

static void traits(void)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    MPI_Errhandler handler;
    MPI_Request request;
    MPI_Info info;
    MPI_Comm made;
    int found = 0;

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    MPI_Comm_idup_with_info(parent, info, &made, &request);
    MPI_Info_free(&info);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_all("the copy", made);
    MPI_Comm_get_errhandler(made, &handler);
    expect("error handler", MPI_ERRORS_RETURN, handler);
    MPI_Comm_get_info(made, &info);
    MPI_Info_get(info, "mpi_assert_no_any_tag", MPI_MAX_INFO_VAL, value, &found);
    expect("hint", 0, strcmp(value, "true"));
    MPI_Info_free(&info);
}

/* Those that there are can still be used, and be freed. */
static void spent(void)
{
    enum { ENOUGH = 5000 };
    static MPI_Comm made[ENOUGH];
    int count = 0, rv = MPI_SUCCESS;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    while (rv == MPI_SUCCESS && count < ENOUGH) {
        made[count] = MPI_COMM_SELF;
        rv = MPI_Comm_dup(parent, &made[count]);
        count += rv == MPI_SUCCESS;
    }
    expect("the last one is an error", 1, rv != MPI_SUCCESS);
    expect("and no communicator", MPI_COMM_NULL, made[count]);
    expect_all("the one before", made[count - 1]);
    while (count-- > 0)
        MPI_Comm_free(&made[count]);
    reduce(other);
}

static const struct {
    const char *name;
    bool dies, is_known;
    void (*run)(void);
} scene[] = {{"alive", false, false, copy},  {"turned", false, false, turned},
             {"dead", true, true, copy},     {"spent", true, true, spent},
             {"traits", true, true, traits}, {"unknown", true, false, copy}};

static void start(int *argc, char ***argv)
{
    int provided;

    for (; *argc > 1 && strncmp((*argv)[1], "--", 2) == 0; --*argc, ++*argv) {
        is_threaded |= strcmp((*argv)[1], "--threads") == 0;
        is_inter |= strcmp((*argv)[1], "--between") == 0;
    }
    MPI_Init_thread(argc, argv, is_threaded ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (*argc < 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    living = n;
}

static MPI_Comm one_to_copy(void)
{
    MPI_Comm half, made;

    if (!is_inter) {
        MPI_Comm_dup(MPI_COMM_WORLD, &made);
    } else {
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &made);
        MPI_Comm_free(&half);
    }
    MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    return made;
}

static void run(const char *name)
{
    int one = 1, sum;

    for (size_t i = 0; i < sizeof scene / sizeof scene[0]; i++) {
        if (strcmp(name, scene[i].name) != 0)
            continue;
        if (scene[i].dies)
            die_if_last();
        if (scene[i].is_known)
            MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, parent);
        scene[i].run();
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    parent = one_to_copy();
    run(argv[1]);
    if (!is_wrong)
        printf("idup: rank %d is content\n", rank);
    MPI_Finalize();
    return is_wrong;
}
