/* bridges: intercommunicators of the even and the odd ranks, with dead members.
 *
 *     bridges [VICTIM...]          made in each way, by all and then without the VICTIMS
 *     bridges leader               the one group's leader dies, then a new one leads
 *     bridges waiting              the one group's leader dies while it waits for the other
 *     bridges strangers            the one group's leader dies that the other has never heard of
 *     bridges renamed              rank 0 dies before the halves are made: the odd ranks name it
 *     bridges crossed              two are made of communicators that come from one alike
 *     bridges side                 all of the odd ranks die
 *     bridges anytime SEED ROUNDS  made one after the other, and the last rank dies in one of them
 *
 * With --groups before these they are made of groups, without the communicators of the halves.
 */
#include "fault.h"
#include "halves.h"
#include "native.h"

#include <ftcoll.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { TAG = 3 };

static int rank, n, side;
static bool by_groups, is_wrong, is_dead[32], may_be_dead[32];
static MPI_Comm half, bridge; /* made when all lived */

static void expect(const char *what, int expected, int found)
{
    if (expected == found)
        return;
    is_wrong = true;
    printf("bridges: rank %d: %s: %d instead of %d\n", rank, what, found, expected);
}

static void expect_class(const char *what, int expected, int code)
{
    int class;

    MPI_Error_class(code, &class);
    expect(what, expected, class);
}

static void die(void)
{
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

static void on_alarm(int number)
{
    (void)number;
    kill(getpid(), SIGKILL);
}

static void die_after_ms(int ms)
{
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_usec = ms * 1000}, NULL);
}

/* The ranks of the other side, as bits, of those that @is_member chooses. */
static int remote_bits(bool (*is_member)(int world))
{
    int bits = 0;

    for (int r = 1 - side; r < n; r += 2)
        bits |= !is_dead[r] && (!is_member || is_member(r)) ? 1 << r : 0;
    return bits;
}

enum order { RISING = 1, FALLING = -1 };

/* It has just those ranks of the other side, in that order, and is freed. */
static void expect_ordered(const char *what, MPI_Comm *made, bool (*is_member)(int world),
                           enum order order)
{
    int mine = 1 << rank, expected = remote_bits(is_member), all = 0, size = 0;
    int uncertain = 0, first = rank, others[32], before = order == RISING ? 0 : n;

    for (int r = 0; r < n; r++)
        uncertain |= may_be_dead[r] ? 1 << r : 0;
    if (*made == MPI_COMM_NULL) {
        expect(what, 1, 0);
        return;
    }
    MPI_Comm_remote_size(*made, &size);
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_BOR, *made);
    expect(what, expected & ~uncertain, all & ~uncertain);
    memset(others, -1, sizeof others);
    MPI_Allgather(&first, 1, MPI_INT, others, 1, MPI_INT, *made);
    for (int i = 0; i < size; i++)
        if (others[i] >= 0 && !may_be_dead[others[i]]) {
            expect("their order", 1, (others[i] - before) * order >= 0);
            before = others[i];
        }
    MPI_Comm_free(made);
}

static void expect_bridge(const char *what, MPI_Comm *made, bool (*is_member)(int world))
{
    expect_ordered(what, made, is_member, RISING);
}

/* MPICH 4.0.2 looks at the other leader on all ranks. */
static int make_of_groups(MPI_Comm comm, int own_leader, int other_leader, MPI_Comm *made)
{
    MPI_Group own, other = half_of_world(1 - side);
    int rv;

    MPI_Comm_group(comm, &own);
    rv = MPI_Intercomm_create_from_groups(own, own_leader, other, other_leader / 2, "bridges",
                                          MPI_INFO_NULL, MPI_ERRORS_RETURN, made);
    MPI_Group_free(&own);
    MPI_Group_free(&other);
    return rv;
}

static int make(MPI_Comm group, int own_leader, int other_leader, MPI_Comm *made)
{
    *made = MPI_COMM_NULL;
    if (by_groups)
        return make_of_groups(group, own_leader, other_leader, made);
    return MPI_Intercomm_create(group, own_leader, MPI_COMM_WORLD, other_leader, TAG, made);
}

static bool is_low(int world)
{
    return world / 2 % 2 == 0;
}

static bool is_not_last(int world)
{
    return world < n - 2;
}

/* Returns the ranks of this side without the last one, in falling order. */
static MPI_Group selection_of(MPI_Comm of)
{
    MPI_Group all, some;
    int size, falling[32];

    MPI_Comm_group(of, &all);
    MPI_Group_size(all, &size);
    for (int i = 0; i < size - 1; i++)
        falling[i] = size - 2 - i;
    MPI_Group_incl(all, size - 1, falling, &some);
    MPI_Group_free(&all);
    return some;
}

/* Each way, of @of. */
static void copies_of(MPI_Comm of)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group some = selection_of(of);

    expect_class("dup", MPI_SUCCESS, MPI_Comm_dup(of, &made));
    expect_bridge("a copy", &made, NULL);
    expect_class("split", MPI_SUCCESS, MPI_Comm_split(of, is_low(rank), 0, &made));
    if (remote_bits(is_low) != 0 && is_low(rank))
        expect_bridge("a part", &made, is_low);
    else if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    expect_class("create", MPI_SUCCESS, MPI_Comm_create(of, some, &made));
    if (is_not_last(rank))
        expect_ordered("a selection", &made, is_not_last, FALLING);
    else
        expect("a selection", 1, made == MPI_COMM_NULL);
    MPI_Group_free(&some);
}

/* It has the error handler that it was given, and none of the dead. */
static void half_of_group(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group own = half_of_world(side);
    MPI_Errhandler handler;
    int mine = 1 << rank, all = 0, expected = 0;

    for (int r = side; r < n; r += 2)
        expected |= is_dead[r] ? 0 : 1 << r;
    expect_class("a group", MPI_SUCCESS,
                 MPI_Comm_create_from_group(own, "half", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made));
    MPI_Comm_get_errhandler(made, &handler);
    expect("its error handler", 1, handler == MPI_ERRORS_RETURN);
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_BOR, made);
    expect("a group", expected, all);
    MPI_Comm_free(&made);
    MPI_Group_free(&own);
}

static void in_each_way(void)
{
    MPI_Comm made;

    if (by_groups)
        half_of_group();
    expect_class("create of halves", MPI_SUCCESS, make(half, 0, 1 - side, &made));
    expect_bridge("halves", &made, NULL);
    copies_of(bridge);
}

/* Until all who live know: an operation has left them out. */
static void bury(const char *list)
{
    for (const char *c = list; *c; c++)
        if (*c >= '0' && *c <= '9') {
            if (rank == *c - '0')
                die();
            is_dead[*c - '0'] = true;
        }
}

static void with_victims(int count, char **list)
{
    in_each_way();
    for (int i = 0; i < count; i++) {
        bury(list[i]);
        in_each_way();
    }
}

static void leader(void)
{
    MPI_Comm made, living;
    int rv;

    if (rank == 1)
        die();
    is_dead[1] = true;
    rv = make(half, 0, 1 - side, &made);
    expect_class("with a dead leader", MPIX_ERR_PROC_FAILED, rv);
    MPI_Comm_dup(half, &living);
    rv = make(living, 0, side == 0 ? 3 : 0, &made);
    expect_class("with another leader", MPI_SUCCESS, rv);
    expect_bridge("with another leader", &made, NULL);
}

/* Waits until a death is known, without a call into native MPI, which would help other ranks. */
static void await_death(void)
{
    int dead;

    while (ftcoll_failed_ranks(MPI_COMM_WORLD, 1, &dead) == 0)
        usleep(1000);
}

/* The odd ranks come first, and are left by their leader. If it dies before it waits, the result is
 * the same, only less is tested. */
static void waiting(void)
{
    MPI_Comm made;

    if (rank == 1)
        die_after_ms(300);
    if (side == 0)
        await_death();
    is_dead[1] = true;
    expect_class("waiting", MPIX_ERR_PROC_FAILED, make(half, 0, 1 - side, &made));
    expect("waiting", 1, made == MPI_COMM_NULL);
}

/* No message has ever gone between the two. */
static void strangers(void)
{
    MPI_Comm made;
    int last = n - 1 - (n - 1 - (1 - side)) % 2, own_last = n - 1 - (n - 1 - side) % 2;

    if (side == 1 && rank == own_last)
        die();
    is_dead[side == 1 ? own_last : last] = true;
    usleep(100000);
    expect_class("strangers", MPIX_ERR_PROC_FAILED,
                 make(half, side == 1 ? (own_last - 1) / 2 : 0, side == 0 ? last : 0, &made));
}

/* The odd ranks have the error; the even ones wait for these, as natively for those who name
 * others.
 */
static void renamed(void)
{
    MPI_Comm living, made;

    if (rank == 0)
        die();
    is_dead[0] = true;
    MPI_Comm_split(MPI_COMM_WORLD, side, 0, &living);
    expect_class("renamed", MPIX_ERR_PROC_FAILED, make(living, 0, 1 - side, &made));
}

static void crossed(void)
{
    MPI_Comm twin[2], made[2];
    int mine[2] = {rank, 100 + rank}, sum[2], expected = 0;
    MPI_Request request[2];

    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(half, &twin[i]);
    for (int i = 0; i < 2; i++)
        make(twin[side == 0 ? i : 1 - i], 0, 1 - side, &made[i]);
    for (int i = 0; i < 2; i++) {
        int which = side == 0 ? i : 1 - i;

        MPI_Iallreduce(&mine[which], &sum[which], 1, MPI_INT, MPI_SUM, made[which],
                       &request[which]);
    }
    for (int i = 0; i < 2; i++)
        MPI_Wait(&request[i], MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; i++) {
        expected = 0;
        for (int r = 1 - side; r < n; r += 2)
            expected += r + 100 * i;
        expect("crossed", expected, sum[i]);
    }
}

static void one_side(void)
{
    MPI_Comm made;

    if (side == 1)
        die();
    expect_class("halves", MPIX_ERR_PROC_FAILED, make(half, 0, 1, &made));
    expect_class("a copy", MPIX_ERR_PROC_FAILED, MPI_Comm_dup(bridge, &made));
    expect_class("a part", MPI_SUCCESS, MPI_Comm_split(bridge, 0, 0, &made));
    expect("a part", 1, made == MPI_COMM_NULL);
}

static void anytime(uint64_t seed, int rounds)
{
    static const struct fault kill = {.form = FAULT_KILL};
    int last = (int)(fault_random(seed) % (uint64_t)rounds);

    may_be_dead[n - 1] = true;
    for (int i = 0; i < rounds; i++) {
        MPI_Comm made, copy;

        fault_step_begin();
        if (i == last && rank == n - 1)
            fault_happen_in_step(&kill, seed);
        expect_class("halves", MPI_SUCCESS, make(half, 0, 1 - side, &made));
        expect_class("dup", MPI_SUCCESS, MPI_Comm_dup(made, &copy));
        expect_bridge("a copy", &copy, NULL);
        expect_bridge("halves", &made, NULL);
        fault_step_end();
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    native_skip(native_cannot_be_left());
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    side = rank % 2;
    by_groups = argc > 1 && strcmp(argv[1], "--groups") == 0;
    argc -= by_groups;
    argv += by_groups;
    MPI_Comm_split(MPI_COMM_WORLD, side, 0, &half);
    expect_class("create", MPI_SUCCESS, make(half, 0, 1 - side, &bridge));
    MPI_Comm_set_errhandler(bridge, MPI_ERRORS_RETURN);
    if (argc == 2 && strcmp(argv[1], "leader") == 0)
        leader();
    else if (argc == 2 && strcmp(argv[1], "side") == 0)
        one_side();
    else if (argc == 2 && strcmp(argv[1], "waiting") == 0)
        waiting();
    else if (argc == 2 && strcmp(argv[1], "strangers") == 0)
        strangers();
    else if (argc == 2 && strcmp(argv[1], "renamed") == 0)
        renamed();
    else if (argc == 2 && strcmp(argv[1], "crossed") == 0)
        crossed();
    else if (argc == 4 && strcmp(argv[1], "anytime") == 0)
        anytime(strtoull(argv[2], NULL, 10), atoi(argv[3]));
    else
        with_victims(argc - 1, argv + 1);
    if (!is_wrong)
        printf("bridges: rank %d is content\n", rank);
    MPI_Finalize();
    return is_wrong;
}
