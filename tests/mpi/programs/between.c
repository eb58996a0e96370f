/* Collective calls between two groups, of which one rank dies:
 *
 *     between ROUNDS COUNT VICTIM CALL
 *
 * Each round has each of the calls below, of COUNT integers. Rank VICTIM of MPI_COMM_WORLD kills
 * itself before its call number CALL (-1: it does not). Of a dead rank a call has all, or nothing,
 * on all who take of it alike; and nothing from then on. */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS_MAX = 16, UNTOUCHED = -1 };

static int rank, n, count, victim, deadly, number, wrong;
static int side, own, local, remote, split;
static bool is_gone; /* the victim, as a call has shown */
static MPI_Comm inter;
static int *in, *out;

static void complain(const char *call, const char *what, int from)
{
    printf("between: wrong: rank %d, call %d, %s: %s of %d\n", rank, number, call, what, from);
    wrong++;
}

/* ---- who is who ---- */

/* The second group has its ranks from the last to the first. */
static int world_rank(int group, int member)
{
    return group == 0 ? member : n - 1 - member;
}

static int size_of(int group)
{
    return group == side ? local : remote;
}

static bool is_victim_remote(void)
{
    return victim >= 0 && (victim < split) == (side == 1);
}

static int root_argument(int group, int root)
{
    if (group != side)
        return root;
    return own == root ? MPI_ROOT : MPI_PROC_NULL;
}

/* ---- what is given, and what must come of it ---- */

/* What rank @from has for element @i of what it has for rank @to. */
static int value(int from, int to, int i)
{
    return 1 + number % 89 + 100 * from + 7 * to + i % 50;
}

static void prepare(int blocks)
{
    if (rank == victim && number == deadly) {
        kill(getpid(), SIGKILL);
        for (;;)
            pause();
    }
    for (int to = 0; to < blocks; to++)
        for (int i = 0; i < count; i++)
            in[to * count + i] = value(rank, to, i);
    for (int i = 0; i < RANKS_MAX * count; i++)
        out[i] = UNTOUCHED;
}

static bool has_block(const int *block, int from, int to)
{
    for (int i = 0; i < count; i++)
        if (block[i] != value(from, to, i))
            return false;
    return true;
}

static bool is_untouched(const int *block)
{
    for (int i = 0; i < count; i++)
        if (block[i] != UNTOUCHED)
            return false;
    return true;
}

/* Whether the victim is in what this rank has taken, by what was seen there. */
static bool look_at_presence(const char *call, int from, bool is_there)
{
    if (from != victim && !is_there)
        complain(call, "nothing", from);
    if (from == victim && is_there && is_gone)
        complain(call, "something, after nothing,", from);
    return is_there;
}

static bool look_at_block(const char *call, const int *block, int from, int to)
{
    bool is_there = has_block(block, from, to);

    if (!is_there && !is_untouched(block))
        complain(call, "neither all nor nothing", from);
    return look_at_presence(call, from, is_there);
}

/* A block of each of the other group, which has given the same to all, or what it had for each. */
static bool look_at_blocks(const char *call, bool is_for_each)
{
    bool has_victim = false;

    for (int i = 0; i < remote; i++) {
        int from = world_rank(1 - side, i);
        bool is_there = look_at_block(call, out + i * count, from, is_for_each ? own : 0);

        has_victim |= from == victim && is_there;
    }
    return has_victim;
}

/* Sums of the other group's elements, from @first on. */
static bool look_at_sums(const char *call, int first)
{
    bool with = true, without = true;

    for (int i = 0; i < count; i++) {
        int sum = 0, of_victim = 0;

        for (int r = 0; r < remote; r++) {
            int from = world_rank(1 - side, r), v = value(from, first, i);

            sum += v;
            of_victim = from == victim ? v : of_victim;
        }
        with &= out[i] == sum;
        without &= out[i] == (of_victim == sum ? UNTOUCHED : sum - of_victim);
    }
    if (!with && !(without && is_victim_remote()))
        complain(call, "a wrong sum", out[0]);
    return look_at_presence(call, victim, with && is_victim_remote());
}

/* All who live and have taken of the victim come to the same. */
static void agree(const char *call, bool takes, bool has_victim)
{
    bool counts = takes && is_victim_remote();
    int mine[2] = {counts ? has_victim : 1, counts ? -has_victim : 0}, all[2], least, most;

    MPI_Allreduce(mine, all, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    least = all[0];
    most = -all[1];
    if (least < most)
        complain(call, "not all have the same", victim);
    is_gone |= least == 0 && most == 0;
}

static void expect_code(const char *call, int rv, bool may_lack_root)
{
    int class;

    MPI_Error_class(rv, &class);
    if (rv != MPI_SUCCESS && !(may_lack_root && class == MPIX_ERR_PROC_FAILED))
        complain(call, "an error", class);
}

/* ---- the calls ---- */

static void everybody(void)
{
    MPI_Request request;

    prepare(remote);
    expect_code("barrier", MPI_Barrier(inter), false);
    number++;
    prepare(remote);
    expect_code("allgather", MPI_Allgather(in, count, MPI_INT, out, count, MPI_INT, inter), false);
    agree("allgather", true, look_at_blocks("allgather", false));
    number++;
    prepare(remote);
    expect_code("alltoall", MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, inter), false);
    agree("alltoall", true, look_at_blocks("alltoall", true));
    number++;
    prepare(1);
    expect_code("allreduce", MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, inter), false);
    agree("allreduce", true, look_at_sums("allreduce", 0));
    number++;
    prepare(1);
    MPI_Iallreduce(in, out, count, MPI_INT, MPI_SUM, inter, &request);
    expect_code("iallreduce", MPI_Wait(&request, MPI_STATUS_IGNORE), false);
    agree("iallreduce", true, look_at_sums("iallreduce", 0));
    number++;
    prepare(1);
    MPI_Allgather_init(in, count, MPI_INT, out, count, MPI_INT, inter, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    expect_code("allgather_init", MPI_Wait(&request, MPI_STATUS_IGNORE), false);
    MPI_Request_free(&request);
    agree("allgather_init", true, look_at_blocks("allgather_init", false));
    number++;
}

/* Data, or an error because of the root. */
static void look_at_root(const char *call, int rv, int argument, int from, int to)
{
    bool takes = argument >= 0, has_data = takes && look_at_block(call, out, from, to);

    expect_code(call, rv, from == victim && takes);
    if (takes && has_data != (rv == MPI_SUCCESS))
        complain(call, "data and an error, or neither,", from);
    agree(call, takes && from == victim, has_data);
    number++;
}

static void from_root(int group, int root)
{
    int argument = root_argument(group, root), from = world_rank(group, root);
    MPI_Request request;

    prepare(remote);
    if (argument == MPI_ROOT)
        memcpy(out, in, (size_t)count * sizeof *out);
    look_at_root("bcast", MPI_Bcast(out, count, MPI_INT, argument, inter), argument, from, 0);
    prepare(remote);
    MPI_Iscatter(in, count, MPI_INT, out, count, MPI_INT, argument, inter, &request);
    look_at_root("iscatter", MPI_Wait(&request, MPI_STATUS_IGNORE), argument, from, own);
}

static void to_root(int group, int root)
{
    int argument = root_argument(group, root);

    prepare(1);
    expect_code("gather", MPI_Gather(in, count, MPI_INT, out, count, MPI_INT, argument, inter),
                false);
    if (argument == MPI_ROOT)
        look_at_blocks("gather", false);
    number++;
    prepare(1);
    expect_code("reduce", MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, argument, inter), false);
    if (argument == MPI_ROOT)
        look_at_sums("reduce", 0);
    number++;
}

int main(int argc, char **argv)
{
    MPI_Comm group;
    int rounds = atoi(argv[1]);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    count = atoi(argv[2]);
    victim = atoi(argv[3]);
    deadly = atoi(argv[4]);
    split = (n + 1) / 2;
    side = rank >= split;
    in = malloc(RANKS_MAX * (size_t)count * sizeof *in);
    out = malloc(RANKS_MAX * (size_t)count * sizeof *out);
    MPI_Comm_split(MPI_COMM_WORLD, side, side == 0 ? rank : -rank, &group);
    MPI_Comm_rank(group, &own);
    MPI_Comm_size(group, &local);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, side == 0 ? n - 1 : 0, 0, &inter);
    MPI_Comm_remote_size(inter, &remote);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* for requests */
    for (int round = 0; round < rounds; round++) {
        everybody();
        for (int g = 0; g < 2; g++)
            for (int root = 0; root < size_of(g); root++) {
                from_root(g, root);
                to_root(g, root);
            }
    }
    MPI_Comm_free(&inter);
    MPI_Comm_free(&group);
    if (wrong == 0)
        printf("between: rank %d is content\n", rank);
    free(in);
    free(out);
    MPI_Finalize();
    return wrong > 0;
}
