/* communicators: every way to make one, before and after deaths. All survivors check who is in it,
 * in which order, and reduce on it.
 *
 *     communicators [--outside] [--threads] ROUNDS [VICTIMS]...
 *     communicators [--threads] --anytime SEED ROUNDS VICTIM...
 *
 * Everything is made once with all ranks alive, and again after each of the VICTIMS (ranks with
 * commas between them, which die together) is dead: by SIGKILL of their own, or with --outside by
 * somebody else's. At last communicators are made, used and freed ROUNDS times; with --threads
 * by several threads at a time, in calls of MPI_Comm_create_group with tags of their own.
 *
 * With --anytime, all make communicators while the VICTIMS die one after the other, each at a
 * random moment of making and using a random one of them; with --threads in a program that may have
 * several. */
#include "casualties.h"
#include "fault.h"
#include "native.h"
#include "problem.h"
#include "resident.h"

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 3, WAYS = 4, GROWTH_MAX_KB = 512 };

static int rank, n, rounds;
static atomic_int problems;
static bool shares_memory;
static MPI_Comm parent, inter; /* made when all were alive; @inter between even and odd ranks */

#define PROBLEM(...) PROBLEM_OF("communicators", rank, __VA_ARGS__)

/* Ranks of the world in the order in which a communicator is to have them. */
struct order {
    int count, rank[RANKS_MAX];
};

static void append(struct order *o, int world_rank)
{
    if (!is_dead[world_rank])
        o->rank[o->count++] = world_rank;
}

static struct order everybody(void)
{
    struct order o = {0};

    for (int r = 0; r < n; r++)
        append(&o, r);
    return o;
}

/* @step -1: from the last to the first; 2 with @first 0: the even ones. */
static struct order every(int first, int step)
{
    struct order o = {0};

    for (int r = first; r >= 0 && r < n; r += step)
        append(&o, r);
    return o;
}

static bool is_in(const struct order *o, int world_rank)
{
    for (int i = 0; i < o->count; i++)
        if (o->rank[i] == world_rank)
            return true;
    return false;
}

static void check_reductions(const char *what, MPI_Comm comm, int own, int size,
                             const struct order *expected)
{
    int who[RANKS_MAX] = {0}, all[RANKS_MAX] = {0}, largest = -1, root = size - 1;

    who[own] = rank;
    MPI_Allreduce(who, all, size, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < size; i++)
        if (all[i] != expected->rank[i])
            PROBLEM("%s: its rank %d is %d of the world, not %d", what, i, all[i],
                    expected->rank[i]);
    MPI_Reduce(&own, &largest, 1, MPI_INT, MPI_MAX, root, comm);
    if (own == root && largest != size - 1)
        PROBLEM("%s: the largest rank is %d, not %d", what, largest, size - 1);
}

/* In MPICH all but MPI_Comm_create, MPI_Comm_create_group and MPI_Intercomm_merge inherit it. */
static void check_handler(const char *what, MPI_Comm comm)
{
    bool inherits = strncmp(what, "create", 6) != 0 && strncmp(what, "merge", 5) != 0;
    MPI_Errhandler own;

    MPI_Comm_get_errhandler(comm, &own);
    if ((own == MPI_ERRORS_RETURN) != inherits)
        PROBLEM("%s: the error handler is %s that of its parent", what, inherits ? "not" : "");
    MPI_Errhandler_free(&own);
}

/* Checks @comm and frees it; it is to be MPI_COMM_NULL for all that are not expected. */
static void expect(const char *what, MPI_Comm comm, struct order expected)
{
    int size, own;

    if (!is_in(&expected, rank)) {
        if (comm != MPI_COMM_NULL)
            PROBLEM("%s: a communicator, not MPI_COMM_NULL", what);
        return;
    }
    if (comm == MPI_COMM_NULL) {
        PROBLEM("%s: MPI_COMM_NULL, not a communicator", what);
        return;
    }
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &own);
    if (size != expected.count)
        PROBLEM("%s: it has %d ranks, not %d", what, size, expected.count);
    else
        check_reductions(what, comm, own, size, &expected);
    check_handler(what, comm);
    MPI_Comm_free(&comm);
}

static bool has_hint(MPI_Comm comm)
{
    char value[8] = "";
    MPI_Info info;
    int found;

    MPI_Comm_get_info(comm, &info);
    MPI_Info_get(info, "mpi_assert_no_any_tag", sizeof value - 1, value, &found);
    MPI_Info_free(&info);
    return found && strcmp(value, "true") == 0;
}

/* Ends the job with the error. */
static void require(int error)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &length);
    fprintf(stderr, "communicators: rank %d: %s\n", rank, text);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void __attribute__((noipa)) copies(void)
{
    MPI_Comm comm, again;
    MPI_Info info;

    require(MPI_Comm_dup(parent, &comm));
    MPI_Comm_dup(comm, &again);
    expect("dup", comm, everybody());
    expect("dup of a dup", again, everybody());
    MPI_Info_create(&info);
    MPI_Comm_dup_with_info(parent, info, &comm);
    expect("dup with info", comm, everybody());
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    if (!has_hint(comm))
        PROBLEM("dup with info: it has not got the info");
    MPI_Info_free(&info);
    MPI_Comm_free(&comm);
}

static void nonblocking_copies(void)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Info info;

    require(MPI_Comm_idup(parent, &comm, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect("idup", comm, everybody());
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    require(MPI_Comm_idup_with_info(parent, info, &comm, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (!has_hint(comm))
        PROBLEM("idup with info: it has not got the info");
    MPI_Info_free(&info);
    expect("idup with info", comm, everybody());
}

static void parts(void)
{
    MPI_Comm comm;
    bool odd = rank % 2;
    struct order middle = everybody();

    MPI_Comm_split(parent, odd, odd ? -rank : rank, &comm);
    expect("split", comm, odd ? every(n - 1 - n % 2, -2) : every(0, 2));
    MPI_Comm_split(parent, 5, 7, &comm);
    expect("split into one, equal keys", comm, everybody());
    MPI_Comm_split(parent, is_in(&middle, rank) && rank == middle.rank[0] ? MPI_UNDEFINED : 1, 0,
                   &comm);
    memmove(middle.rank, middle.rank + 1, (size_t)--middle.count * sizeof middle.rank[0]);
    expect("split without the first", comm, middle);
    MPI_Comm_split(parent, MPI_UNDEFINED, 0, &comm);
    expect("split into none", comm, (struct order){0});
    MPI_Comm_split(parent, rank, 0, &comm);
    expect("split into single ranks", comm, (struct order){1, {rank}});
    if (!shares_memory)
        return;
    MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &comm);
    expect("split by memory", comm, every(n - 1, -1));
    MPI_Comm_split_type(parent, odd ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &comm);
    expect("split by memory, some", comm, every(0, 2));
}

/* Names the dead as well. */
static MPI_Group group_of(int first, int step)
{
    MPI_Group all, some;
    int ranks[RANKS_MAX], count = 0;

    for (int r = first; r >= 0 && r < n; r += step)
        ranks[count++] = r;
    MPI_Comm_group(parent, &all);
    MPI_Group_incl(all, count, ranks, &some);
    MPI_Group_free(&all);
    return some;
}

static void groups(void)
{
    MPI_Comm comm;
    MPI_Group backwards = group_of(n - 1, -1), half = group_of(rank % 2, 2), even = group_of(0, 2);

    MPI_Comm_create(parent, backwards, &comm);
    expect("create", comm, every(n - 1, -1));
    MPI_Comm_create(parent, even, &comm);
    expect("create of some", comm, every(0, 2));
    MPI_Comm_create(parent, half, &comm);
    expect("create of disjoint groups", comm, every(rank % 2, 2));
    MPI_Comm_create_group(parent, half, 17, &comm);
    expect("create_group of disjoint groups", comm, every(rank % 2, 2));
    if (rank % 2 == 0) { /* the others go on */
        MPI_Comm_create_group(parent, even, 17, &comm);
        expect("create_group of some", comm, every(0, 2));
    }
    MPI_Comm_create_group(parent, backwards, 0, &comm);
    expect("create_group", comm, every(n - 1, -1));
    MPI_Group_free(&backwards);
    MPI_Group_free(&half);
    MPI_Group_free(&even);
}

/* @high: of even ranks, or of odd ones. */
static struct order merged(bool high)
{
    struct order first = every(high, 2), second = every(!high, 2);

    for (int i = 0; i < second.count; i++)
        append(&first, second.rank[i]);
    return first;
}

static void merges(void)
{
    MPI_Comm comm;

    for (int even = 0; even < 2; even++) {
        require(MPI_Intercomm_merge(inter, (rank % 2 == 0) == even, &comm));
        expect(even ? "merge, even ranks high" : "merge, odd ranks high", comm, merged(even));
    }
}

/* All survivors have left native MPI when it returns, and nothing of the next stage has begun. */
static void stage(void)
{
    copies();
    nonblocking_copies();
    parts();
    groups();
    merges();
    casualties_meet();
}

static void die(const char *victims, bool outside)
{
    if (!outside) {
        casualties_die(victims, rank);
        return;
    }
    casualties_add(victims);
    if (!is_dead[rank])
        return;
    printf("go\n");
    fflush(stdout);
    for (;;)
        pause();
}

static void one_round(int round)
{
    MPI_Comm copy, half, group;
    MPI_Group all = group_of(0, 1);

    MPI_Comm_dup(parent, &copy);
    MPI_Comm_split(parent, rank % 2, round % 3 ? rank : 0, &half);
    MPI_Comm_create_group(parent, all, 3, &group);
    MPI_Group_free(&all);
    if (round % 2) {
        expect("one of many", copy, everybody());
        expect("half of many", half, every(rank % 2, 2));
        expect("create_group, one of many", group, everybody());
    } else {
        expect("create_group, one of many", group, everybody());
        expect("half of many", half, every(rank % 2, 2));
        expect("one of many", copy, everybody());
    }
}

static void *thread(void *argument)
{
    int tag = *(const int *)argument;
    MPI_Group all = group_of(0, 1);

    for (int i = 0; i < rounds; i++) {
        MPI_Comm comm;

        MPI_Comm_create_group(parent, all, tag, &comm);
        expect("create_group, one of several at a time", comm, everybody());
    }
    MPI_Group_free(&all);
    return NULL;
}

static void with_threads(void)
{
    pthread_t id[THREADS];
    int tag[THREADS];

    for (int i = 0; i < THREADS; i++) {
        tag[i] = 100 + i;
        pthread_create(&id[i], NULL, thread, &tag[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
}

static void again_and_again(void)
{
    long settled_kb = 0, grown_kb;

    for (int i = 0; i < rounds; i++) {
        if (i == rounds / 2)
            settled_kb = resident_kb("RssAnon");
        one_round(i);
    }
    grown_kb = rounds > 0 ? resident_kb("RssAnon") - settled_kb : 0;
    if (grown_kb > GROWTH_MAX_KB)
        PROBLEM("%d rounds have cost %ld KiB of memory", rounds - rounds / 2, grown_kb);
}

static void make_parent(void)
{
    MPI_Comm half;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &parent);
    MPI_Info_free(&info);
    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    MPI_Comm_split(parent, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &inter);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    MPI_Comm_free(&half);
}

/* To a dead rank there may be none: UCX may find its memory gone. */
static void start_and_free(const void *data, int bytes, int to, int tag)
{
    MPI_Request request = MPI_REQUEST_NULL;

    MPI_Isend(data, bytes, MPI_BYTE, to, tag, parent, &request);
    if (request != MPI_REQUEST_NULL)
        MPI_Request_free(&request);
}

/* What the dead have sent and nobody has received, and receives that nobody will answer, must not
 * be in the way when the communicator is freed. */
static void leave_something_unfinished(void)
{
    static char data[1 << 18];
    MPI_Request request;

    for (int to = 0; to < n; to++) {
        start_and_free(&rank, sizeof rank, to, 1);
        start_and_free(data, sizeof data, to, 2);
    }
    MPI_Irecv(data, 1, MPI_CHAR, n - 1, 3, parent, &request);
}

/* @comm has all who live on; whether it has the dead depends on when they die. */
static void expect_survivors(const char *what, MPI_Comm comm, struct order survivors)
{
    int mine = 1 << rank, all = 0, size;

    if (comm == MPI_COMM_NULL) {
        PROBLEM("%s: MPI_COMM_NULL, not a communicator", what);
        return;
    }
    MPI_Comm_size(comm, &size);
    if (size < survivors.count)
        PROBLEM("%s: it has %d ranks, not %d", what, size, survivors.count);
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_BOR, comm);
    for (int i = 0; i < survivors.count; i++)
        if (!(all >> survivors.rank[i] & 1))
            PROBLEM("%s: the result lacks rank %d", what, survivors.rank[i]);
    MPI_Comm_free(&comm);
}

static void make_and_use(int how, MPI_Group all)
{
    MPI_Comm comm;

    if (how == 0) {
        require(MPI_Comm_dup(parent, &comm));
        expect_survivors("dup", comm, everybody());
    } else if (how == 1) {
        require(MPI_Comm_split(parent, rank % 2, -rank, &comm));
        expect_survivors("split", comm, every(rank % 2, 2));
    } else if (how == 2) {
        require(MPI_Intercomm_merge(inter, rank % 2, &comm));
        expect_survivors("merge", comm, everybody());
    } else {
        require(MPI_Comm_create_group(parent, all, 5, &comm));
        expect_survivors("create_group", comm, everybody());
    }
}

/* Of all communicators that are made, each victim dies at or in one; in the order in which they are
 * named. */
static void at_any_time(uint64_t seed, char **victim)
{
    static const struct fault kill = {.form = FAULT_KILL};
    MPI_Group all = group_of(0, 1);
    int victims = 0, last = -1;

    casualties_meet();
    while (victim[victims])
        is_dead[atoi(victim[victims++])] = true;
    for (int i = 0, share = WAYS * rounds / victims; i < victims; i++)
        if (atoi(victim[i]) == rank)
            last = i * share + (int)(fault_random(seed + (uint64_t)i) % (uint64_t)share);
    for (int i = 0; i < WAYS * rounds; i++) {
        fault_step_begin();
        if (i == last)
            fault_happen_in_step(&kill, seed);
        make_and_use(i % WAYS, all);
        fault_step_end();
    }
    MPI_Group_free(&all);
}

static bool take(const char *option, int *argc, char ***argv)
{
    if (*argc < 2 || strcmp((*argv)[1], option) != 0)
        return false;
    (*argc)--;
    (*argv)++;
    return true;
}

int main(int argc, char **argv)
{
    bool outside = take("--outside", &argc, &argv), threads = take("--threads", &argc, &argv);
    bool anytime = take("--anytime", &argc, &argv);
    int provided;

    MPI_Init_thread(NULL, NULL, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (n > RANKS_MAX || argc < (anytime ? 4 : 2))
        MPI_Abort(MPI_COMM_WORLD, 2);
    if (anytime)
        native_skip(native_cannot_be_left());
    rounds = atoi(argv[anytime ? 2 : 1]);
    make_parent();
    shares_memory = native_shares_memory();
    if (!shares_memory && rank == 0)
        puts("communicators: without a split by memory: this MPI finds none that all share");
    if (anytime) {
        at_any_time(strtoull(argv[1], NULL, 10), argv + 3);
    } else {
        stage();
        leave_something_unfinished();
        for (int i = 2; i < argc; i++) {
            die(argv[i], outside);
            stage();
        }
        if (threads)
            with_threads();
        else
            again_and_again();
    }
    MPI_Comm_free(&parent);
    MPI_Comm_free(&inter);
    casualties_meet();
    if (problems == 0)
        printf("communicators: rank %d is content\n", rank);
    MPI_Finalize();
    return problems > 0;
}
