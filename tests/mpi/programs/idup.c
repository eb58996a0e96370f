/* idup: MPI_Comm_idup, which waits for nobody, and ranks that die before it and in its middle. The
 * last rank is the one that dies.
 *
 *     idup [--threads] [--between] SCENE
 *
 * With MPI_THREAD_MULTIPLE, and of an intercommunicator of the even and the odd ranks. The scenes:
 *
 *     idup dead       it is dead, and nobody has been told of that by an operation
 *     idup alive      nobody dies
 *     idup tested     likewise dead; rank 0 tests before a reduction that the others are in
 *     idup message    likewise; rank 0 sends what the others wait for when it is through
 *     idup computing  likewise; rank 1 comes to MPI again when rank 0 has tested 1000 times in vain
 *     idup crossed    likewise; two communicators are copied at the same time, in another order on
 *                     odd ranks
 *     idup freed      likewise; what is copied is freed before the copy is complete
 *     idup others     likewise; other communicators are made before the copy is complete
 *     idup turned     nobody dies; other ranks make another one before
 *     idup traits     likewise; the copy has the error handler and the hints
 *     idup exhausted  likewise; copies are made until MPI has no more
 *     idup side       all odd ranks are dead
 *     idup twice      likewise the last one; two threads copy a communicator each
 *     idup preempted  nobody dies; rank 0 has no core for a while, again and again, while it tests,
 *                     and then waits for who begins only now
 *     idup again SENDS  likewise, and known; the one before it dies in the survivors' own copy,
 *                     before its message number SENDS there
 *     idup anytime SEED ROUNDS  copies are made one after the other, and it dies in one of them */
#include "fault.h"
#include "native.h"
#include "sends.h"

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int rank, n, living;
static bool is_wrong, is_threaded, is_between;
static MPI_Comm parent, second, other; /* two to be copied, and one of all ranks */
static int pid_of_1;

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
    return is_between ? (living + 1 - side) / 2 : living;
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
    if (is_between) {
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

    if (comm == MPI_COMM_NULL || !is_between)
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

static void tested(void)
{
    MPI_Comm made;
    MPI_Request request;
    int done = 0;

    MPI_Comm_idup(parent, &made, &request);
    for (int i = 0; rank == 0 && !done && i < 100000; i++)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    reduce(other);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_all("the copy", made);
}

static void message(void)
{
    MPI_Comm made;
    MPI_Request request;
    int token = 17;

    MPI_Comm_idup(parent, &made, &request);
    if (rank == 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int to = 1; rank == 0 && to < living; to++)
        MPI_Send(&token, 1, MPI_INT, to, 0, other);
    if (rank != 0)
        MPI_Recv(&token, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE);
    if (rank != 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_all("the copy", made);
}

static void computing(void)
{
    MPI_Comm made;
    MPI_Request request;
    sigset_t go;
    int done = 0, signal;

    sigemptyset(&go);
    sigaddset(&go, SIGUSR1);
    MPI_Comm_idup(parent, &made, &request);
    for (int i = 0; rank == 0 && i < 1000; i++)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!is_threaded) /* otherwise the library's thread at rank 1 may take part */
        expect("complete", 0, done);
    if (rank == 0)
        kill(pid_of_1, SIGUSR1);
    if (rank == 1)
        sigwait(&go, &signal);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_all("the copy", made);
}

static void crossed(void)
{
    MPI_Comm made[2], of[2] = {parent, second};
    MPI_Request request[2];

    for (int i = 0; i < 2; i++) {
        int which = (i + rank) % 2;

        MPI_Comm_idup(of[which], &made[which], &request[which]);
    }
    for (int i = 0; i < 2; i++)
        MPI_Wait(&request[(i + rank / 2) % 2], MPI_STATUS_IGNORE);
    expect_all("the copy", made[0]);
    expect_all("the other copy", made[1]);
}

/* Communicators of one rank, for which MPICH does not poll, and others meanwhile: rank 0 is in the
 * middle of making another copy when it makes most of them, for rank 1 seldom comes to MPI. */
static void others(void)
{
    enum { MS = 1000, SELDOM_MS = 60, LONG_MS = 600 };
    int step_ms = rank == 1 ? SELDOM_MS : 1;
    MPI_Comm made, own, both;
    MPI_Request request;

    MPI_Comm_idup(parent, &made, &request);
    for (int ms = 0; ms < LONG_MS; ms += step_ms) {
        MPI_Comm_dup(MPI_COMM_SELF, &own);
        MPI_Comm_free(&own);
        usleep(step_ms * MS);
    }
    MPI_Comm_dup(other, &both);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_all("the copy", made);
    reduce(both);
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

static void freed(void)
{
    MPI_Comm made;
    MPI_Request request;

    MPI_Comm_idup(parent, &made, &request);
    MPI_Comm_free(&parent);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_all("the copy", made);
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
static void exhausted(void)
{
    enum { ENOUGH = 5000 };
    static MPI_Comm made[ENOUGH];
    MPI_Request request;
    int count = 0, rv = MPI_SUCCESS;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    while (rv == MPI_SUCCESS && count < ENOUGH) {
        made[count] = MPI_COMM_SELF;
        rv = MPI_Comm_idup(parent, &made[count], &request);
        if (rv == MPI_SUCCESS)
            rv = MPI_Wait(&request, MPI_STATUS_IGNORE);
        count += rv == MPI_SUCCESS;
    }
    expect("the last one is an error", 1, rv != MPI_SUCCESS);
    expect("and no communicator", MPI_COMM_NULL, made[count]);
    expect_all("the one before", made[count - 1]);
    while (count-- > 0)
        MPI_Comm_free(&made[count]);
    reduce(other);
}

static void *copy_of(void *comm)
{
    MPI_Comm made;
    MPI_Request request;

    for (int i = 0; i < 3; i++) {
        MPI_Comm_idup(*(MPI_Comm *)comm, &made, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect_all("a thread's copy", made);
    }
    return NULL;
}

static void twice(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, copy_of, &second);
    copy_of(&parent);
    pthread_join(thread, NULL);
}

static long cpu_ms(void)
{
    struct timespec used;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

/* What was left in MPICH must not keep a core. */
static void expect_rest(void)
{
    enum { MS = 1000, PAUSE_MS = 1000 };
    long before_ms = cpu_ms();

    usleep(PAUSE_MS * MS);
    expect("work in a pause", 0, cpu_ms() - before_ms >= PAUSE_MS / 20);
}

static void again(int sends)
{
    MPI_Comm made;
    MPI_Request request;

    die_if_last();
    reduce(other);
    sends_left = rank == n - 2 ? sends : 0;
    living = n - 2;
    for (int i = 0; i < 3; i++) {
        expect("idup", MPI_SUCCESS, MPI_Comm_idup(parent, &made, &request));
        expect("wait", MPI_SUCCESS, MPI_Wait(&request, MPI_STATUS_IGNORE));
        expect_all("the copy", made);
    }
    expect_rest();
    reduce(other);
}

/* A copy with nobody on one side would be none. */
static void side(void)
{
    MPI_Comm made;
    MPI_Request request;
    int class;

    if (rank % 2 == 1)
        raise(SIGKILL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    expect("idup", MPI_SUCCESS, MPI_Comm_idup(parent, &made, &request));
    MPI_Error_class(MPI_Wait(&request, MPI_STATUS_IGNORE), &class);
    expect("error", MPIX_ERR_PROC_FAILED, class);
    expect("no copy", 1, made == MPI_COMM_NULL);
}

/* Those from whom a reduction on a copy has something, as bits. */
static int survivors(void)
{
    int bits = 0;

    for (int r = 0; r < n - 1; r++)
        bits |= !is_between || r % 2 != rank % 2 ? 1 << r : 0;
    return bits;
}

/* Whether a copy has the dead one depends on when it dies. */
static void anytime(uint64_t seed, int rounds)
{
    static const struct fault kill = {.form = FAULT_KILL};
    int last = (int)(fault_random(seed) % (uint64_t)rounds);

    for (int i = 0; i < rounds; i++) {
        MPI_Comm made;
        MPI_Request request;
        int mine = 1 << rank, all = 0;

        fault_step_begin();
        if (i == last && rank == n - 1)
            fault_happen_in_step(&kill, seed);
        expect("idup", MPI_SUCCESS, MPI_Comm_idup(parent, &made, &request));
        expect("wait", MPI_SUCCESS, MPI_Wait(&request, MPI_STATUS_IGNORE));
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_BOR, made);
        expect("survivors", survivors(), all & survivors());
        MPI_Comm_free(&made);
        fault_step_end();
    }
}

static volatile sig_atomic_t preemptions;

static void on_preemption(int number)
{
    (void)number;
    nanosleep(&(struct timespec){.tv_nsec = 40000000}, NULL);
    preemptions = preemptions + 1;
}

static void preempt_each_us(int us)
{
    setitimer(ITIMER_PROF, &(struct itimerval){.it_interval.tv_usec = us, .it_value.tv_usec = us},
              NULL);
}

/* In the middle of a test, too, in which another thread would go on with the copy. */
static void preempted(void)
{
    MPI_Comm made;
    MPI_Request request;
    int done = 0;

    sigaction(SIGPROF, &(struct sigaction){.sa_handler = on_preemption, .sa_flags = SA_RESTART},
              NULL);
    for (int copies = 0; copies < 3; copies++) {
        if (rank == n - 1)
            MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Comm_idup(parent, &made, &request);
        preemptions = 0;
        preempt_each_us(rank == 0 ? 5000 : 0);
        while (rank == 0 && preemptions < 10)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        preempt_each_us(0);
        if (rank == 0)
            MPI_Send(NULL, 0, MPI_BYTE, n - 1, 0, MPI_COMM_WORLD);
        else
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == n - 1)
            MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        else if (rank == 0)
            MPI_Recv(NULL, 0, MPI_BYTE, n - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect_all("the copy", made);
    }
}

/* Before MPI_Init, which starts threads. */
static void block_signal(void)
{
    sigset_t go;

    sigemptyset(&go);
    sigaddset(&go, SIGUSR1);
    sigprocmask(SIG_BLOCK, &go, NULL);
}

static const struct {
    const char *name;
    bool dies;
    void (*run)(void);
} scene[] = {
    {"alive", false, copy},          {"dead", true, copy},           {"tested", true, tested},
    {"message", true, message},      {"computing", true, computing}, {"crossed", true, crossed},
    {"freed", true, freed},          {"traits", true, traits},       {"others", true, others},
    {"turned", false, turned},       {"side", false, side},          {"twice", true, twice},
    {"preempted", false, preempted}, {"exhausted", false, exhausted}};

static void start(int *argc, char ***argv)
{
    int provided;

    for (; *argc > 1 && strncmp((*argv)[1], "--", 2) == 0; --*argc, ++*argv) {
        is_threaded |= strcmp((*argv)[1], "--threads") == 0;
        is_between |= strcmp((*argv)[1], "--between") == 0;
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

    if (!is_between) {
        MPI_Comm_dup(MPI_COMM_WORLD, &made);
    } else {
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &made);
        MPI_Comm_free(&half);
    }
    MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    return made;
}

int main(int argc, char **argv)
{
    block_signal();
    start(&argc, &argv);
    if (strcmp(argv[1], "again") == 0)
        native_skip(sends_are_not_counted());
    pid_of_1 = rank == 1 ? getpid() : 0;
    MPI_Bcast(&pid_of_1, 1, MPI_INT, 1 % n, MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    parent = one_to_copy();
    second = one_to_copy();
    for (size_t i = 0; i < sizeof scene / sizeof scene[0]; i++)
        if (strcmp(argv[1], scene[i].name) == 0) {
            if (scene[i].dies)
                die_if_last();
            scene[i].run();
        }
    if (strcmp(argv[1], "anytime") == 0 && argc == 4)
        anytime(strtoull(argv[2], NULL, 10), atoi(argv[3]));
    if (strcmp(argv[1], "again") == 0 && argc == 3)
        again(atoi(argv[2]));
    if (!is_wrong)
        printf("idup: rank %d is content\n", rank);
    MPI_Finalize();
    return is_wrong;
}
