/* places: copies of a communicator that are made after deaths keep the ranks that the program
 * knows.
 *
 *     places [--sub] [--held N] STEPS [STEP:VICTIMS]...
 *     places --stale FIRST SECOND
 *     places --anytime SEED ROUNDS VICTIM
 *
 * In each step MPI_COMM_WORLD is copied in all ways, and each copy is used by the ranks of the
 * world: a ring, collectives with living and dead roots, a copy of the copy. VICTIMS, ranks with
 * commas between them, die before their STEP. With --sub it is a part of the world that is copied,
 * without the last rank; with --held N as many copies are held at once at the end. With --stale
 * rank SECOND sends a message on a copy that is made after the death of FIRST, and dies: no later
 * copy has that message. With --anytime VICTIM dies at a random moment of making, using and freeing
 * a copy. */
#include "casualties.h"
#include "fault.h"
#include "native.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELD_MAX = 32, AT_ONCE = 4, UNTOUCHED = -7 };

static int rank, n, problems;
static MPI_Comm parent;
static MPI_Group all;

#define EXPECT(condition, ...)                                                                     \
    do {                                                                                           \
        if (!(condition) && problems++ < 10) {                                                     \
            fprintf(stderr, "places: rank %d: ", rank);                                            \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
        }                                                                                          \
    } while (0)

static int living_from(int first, int by)
{
    int count = 0;

    for (int r = first; r < n; r += by)
        count += !is_dead[r];
    return count;
}

static int living(void)
{
    return living_from(0, 1);
}

/* ---- one copy ---- */

static void check_members(const char *what, MPI_Comm comm)
{
    int size, own, compared;
    MPI_Group group;

    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &own);
    EXPECT(size == n && own == rank, "%s: rank %d of %d, not of %d", what, own, size, n);
    MPI_Comm_compare(comm, parent, &compared);
    EXPECT(compared == MPI_CONGRUENT, "%s: it is not congruent", what);
    MPI_Comm_group(comm, &group);
    MPI_Group_compare(group, all, &compared);
    EXPECT(compared == MPI_IDENT, "%s: its group is another one", what);
    MPI_Group_free(&group);
}

static void check_ring(const char *what, MPI_Comm comm)
{
    int right = (rank + 1) % n, left = (rank + n - 1) % n, from = UNTOUCHED;
    MPI_Status status;

    MPI_Sendrecv(&rank, 1, MPI_INT, right, 0, &from, 1, MPI_INT, left, 0, comm, &status);
    EXPECT(from == (is_dead[left] ? UNTOUCHED : left), "%s: %d from rank %d", what, from, left);
    EXPECT(status.MPI_SOURCE == (is_dead[left] ? MPI_PROC_NULL : left), "%s: it is from rank %d",
           what, status.MPI_SOURCE);
}

static void check_root(const char *what, MPI_Comm comm, int root)
{
    int told = rank == root ? root : UNTOUCHED, sum = UNTOUCHED, rv, blocks[RANKS_MAX];

    for (int r = 0; r < n; r++)
        blocks[r] = UNTOUCHED;
    rv = MPI_Bcast(&told, 1, MPI_INT, root, comm);
    EXPECT((rv == MPI_SUCCESS) == !is_dead[root], "%s: root %d: it returns %d", what, root, rv);
    EXPECT(told == (is_dead[root] ? UNTOUCHED : root), "%s: root %d tells %d", what, root, told);
    MPI_Reduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, root, comm);
    EXPECT(rank != root || sum == living(), "%s: root %d has %d ranks", what, root, sum);
    MPI_Gather(&rank, 1, MPI_INT, blocks, 1, MPI_INT, root, comm);
    for (int r = 0; r < n && rank == root; r++)
        EXPECT(blocks[r] == (is_dead[r] ? UNTOUCHED : r), "%s: %d of rank %d", what, blocks[r], r);
}

static void check_collectives(const char *what, MPI_Comm comm)
{
    int sum = 0, before, blocks[RANKS_MAX], ranks[RANKS_MAX], expected = 0;

    MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, comm);
    EXPECT(sum == living(), "%s: %d ranks, not %d", what, sum, living());
    for (int r = 0; r < n; r++) {
        blocks[r] = UNTOUCHED;
        ranks[r] = rank;
        expected += r <= rank && !is_dead[r];
    }
    MPI_Alltoall(ranks, 1, MPI_INT, blocks, 1, MPI_INT, comm);
    for (int r = 0; r < n; r++)
        EXPECT(blocks[r] == (is_dead[r] ? UNTOUCHED : r), "%s: %d of rank %d", what, blocks[r], r);
    MPI_Scan(&(int){1}, &before, 1, MPI_INT, MPI_SUM, comm);
    EXPECT(before == expected, "%s: %d ranks before, not %d", what, before, expected);
    MPI_Barrier(comm);
}

/* What is made of a group has none of its own; the parent has MPI_ERRORS_RETURN. */
static void check_handler(const char *what, MPI_Comm comm)
{
    bool inherits = strncmp(what, "create", 6) != 0;
    MPI_Errhandler handler;

    MPI_Comm_get_errhandler(comm, &handler);
    EXPECT(handler == (inherits ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL),
           "%s: it has another error handler", what);
    MPI_Errhandler_free(&handler);
}

static void check_copy(const char *what, MPI_Comm comm)
{
    check_handler(what, comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    check_members(what, comm);
    check_collectives(what, comm);
    check_ring(what, comm);
    for (int root = 0; root < n; root++)
        check_root(what, comm, root);
}

/* A part of a copy is of the survivors; what all who live are in counts as a copy. */
static void check_part(MPI_Comm comm)
{
    int size, expected = living_from(rank % 2, 2);
    MPI_Comm part;

    if (expected == living())
        expected = n;
    MPI_Comm_split(comm, rank % 2, 0, &part);
    MPI_Comm_size(part, &size);
    EXPECT(size == expected, "a part of a copy: %d ranks, not %d", size, expected);
    MPI_Comm_free(&part);
}

/* ---- ways to make one ---- */

static void dup(MPI_Comm *copy)
{
    MPI_Comm_dup(parent, copy);
}

static void dup_with_info(MPI_Comm *copy)
{
    MPI_Comm_dup_with_info(parent, MPI_INFO_NULL, copy);
}

static void idup(MPI_Comm *copy)
{
    MPI_Request request;

    MPI_Comm_idup(parent, copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void split(MPI_Comm *copy)
{
    MPI_Comm_split(parent, 3, rank, copy);
}

static void split_type(MPI_Comm *copy)
{
    MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, copy);
}

static void create(MPI_Comm *copy)
{
    MPI_Comm_create(parent, all, copy);
}

static void create_group(MPI_Comm *copy)
{
    MPI_Comm_create_group(parent, all, 5, copy);
}

static const struct {
    const char *name;
    void (*make)(MPI_Comm *copy);
} ways[] = {{"dup", dup},
            {"dup with info", dup_with_info},
            {"idup", idup},
            {"split", split},
            {"split by type", split_type},
            {"create", create},
            {"create of a group", create_group}};

static int deleted;

static int count_deleted(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)value, (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

static bool has_attribute(MPI_Comm comm, int keyval)
{
    void *value;
    int found;

    MPI_Comm_get_attr(comm, keyval, &value, &found);
    return found;
}

/* What a copy had, later ones have not. Such a copy is not used again. */
static void check_attributes(void)
{
    MPI_Comm copy;
    bool are_deleted = living() == n || native_deletes_attributes_of_dead();
    int keyval, before = deleted;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_deleted, &keyval, NULL);
    for (int i = 0; i < 6; i++) {
        dup(&copy);
        EXPECT(!has_attribute(copy, keyval), "copy %d has an attribute of an earlier one", i);
        if (i < 2)
            MPI_Comm_set_attr(copy, keyval, &rank);
        MPI_Comm_free(&copy);
        EXPECT(!are_deleted || deleted - before == (i < 2 ? i + 1 : 2), "%d attributes deleted",
               deleted - before);
    }
    MPI_Comm_free_keyval(&keyval);
}

/* Keys in another order: it is not a copy. */
static void check_turned(void)
{
    MPI_Comm turned;
    int size, own;

    MPI_Comm_split(parent, 0, -rank, &turned);
    MPI_Comm_size(turned, &size);
    MPI_Comm_rank(turned, &own);
    EXPECT(living() == 1 || (size == living() && own == living_from(rank + 1, 1)),
           "turned: rank %d of %d", own, size);
    MPI_Comm_free(&turned);
}

/* Ranks of several hosts have no part by that type in common. */
static bool is_on_one_host(void)
{
    MPI_Comm host;
    int size;

    MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &size);
    MPI_Comm_free(&host);
    return size == n;
}

static void step(bool by_type)
{
    MPI_Comm copy, again;

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (ways[i].make == split_type && !by_type)
            continue;
        ways[i].make(&copy);
        check_copy(ways[i].name, copy);
        MPI_Comm_dup(copy, &again);
        MPI_Comm_free(&copy);
        check_copy("copy of a copy", again);
        check_part(again);
        MPI_Comm_free(&again);
    }
    check_turned();
}

/* The first ones are made at the same time. Later ones are of the survivors. */
static void hold(int count, int with_places)
{
    MPI_Comm held[HELD_MAX];
    MPI_Request request[AT_ONCE];
    MPI_Status statuses[AT_ONCE];
    int size, expected;

    for (int i = 0; i < AT_ONCE; i++)
        MPI_Comm_idup(parent, &held[i], &request[i]);
    MPI_Waitall(AT_ONCE, request, statuses);
    for (int i = 0; i < count; i++) {
        if (i >= AT_ONCE)
            dup(&held[i]);
        MPI_Comm_size(held[i], &size);
        expected = i < with_places ? n : living();
        EXPECT(size == expected, "copy %d has %d ranks, not %d", i, size, expected);
    }
    for (int i = 0; i < count; i++)
        MPI_Comm_free(&held[i]);
}

static void send_and_die(const char *victim)
{
    MPI_Comm copy;

    dup(&copy);
    if (rank == atoi(victim))
        MPI_Send(&rank, 1, MPI_INT, 0, 0, copy);
    casualties_die(victim, rank);
    casualties_meet();
    MPI_Comm_free(&copy);
}

static void check_stale(char **victims)
{
    MPI_Comm copy;
    MPI_Status status;
    int found; /* also without a message, as with MPI_PROC_NULL */

    casualties_die(victims[0], rank);
    send_and_die(victims[1]);
    for (int i = 0; i < 2 * HELD_MAX; i++) {
        dup(&copy);
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, copy, &found, &status);
        EXPECT(!found || status.MPI_SOURCE == MPI_PROC_NULL,
               "copy %d has a message of an earlier one", i);
        MPI_Comm_free(&copy);
    }
}

/* Nobody knows who is dead yet. */
static void round_of(int number)
{
    int size, own, from, sum, right = (rank + 1) % n, left = (rank + n - 1) % n;
    MPI_Comm copy;

    dup(&copy);
    MPI_Comm_size(copy, &size);
    MPI_Comm_rank(copy, &own);
    EXPECT(size == n && own == rank, "round %d: rank %d of %d", number, own, size);
    MPI_Sendrecv(&rank, 1, MPI_INT, right, 0, &from, 1, MPI_INT, left, 0, copy, MPI_STATUS_IGNORE);
    MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, copy);
    EXPECT(sum == n || sum == n - 1, "round %d: %d ranks", number, sum);
    MPI_Comm_free(&copy);
}

static void go_round(uint64_t seed, int rounds, int victim)
{
    int last = (int)(fault_random(seed) % (uint64_t)rounds);
    struct fault fault = {.form = FAULT_KILL};

    for (int i = 0; i < rounds; i++) {
        bool is_last = rank == victim && i == last;

        fault_step_begin();
        if (is_last)
            fault_happen_in_step(&fault, fault_random(seed + 1));
        round_of(i);
        fault_step_end();
    }
}

static void die_before(int number, char **deaths)
{
    char *victims;

    for (; *deaths; deaths++)
        if (strtol(*deaths, &victims, 10) == number)
            casualties_die(victims + 1, rank);
}

int main(int argc, char **argv)
{
    bool is_sub, is_anytime, by_type;
    int steps, held = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    is_sub = argc > 1 && strcmp(argv[1], "--sub") == 0;
    argv += is_sub;
    if (argv[1] && strcmp(argv[1], "--held") == 0) {
        held = atoi(argv[2]);
        argv += 2;
    }
    steps = argv[1] ? atoi(argv[1]) : 0;
    n -= is_sub;
    is_anytime = argv[1] && strcmp(argv[1], "--anytime") == 0;
    MPI_Comm_split(MPI_COMM_WORLD, rank < n, 0, &parent);
    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    MPI_Comm_group(parent, &all);
    by_type = rank < n && is_on_one_host();
    if (argv[1] && strcmp(argv[1], "--stale") == 0)
        check_stale(argv + 2);
    if (is_anytime)
        go_round(strtoull(argv[2], NULL, 10), atoi(argv[3]), atoi(argv[4]));
    for (int s = 0; s < steps && rank < n; s++) {
        die_before(s, argv + 2);
        step(by_type);
    }
    if (rank < n && held == 0 && steps > 0)
        check_attributes();
    if (rank < n && held > 0)
        hold(held, is_sub ? 4 : 16);
    if (problems == 0)
        printf("places: rank %d is content\n", rank);
    MPI_Group_free(&all);
    MPI_Comm_free(&parent);
    MPI_Finalize();
    return problems > 0;
}
