/* survivors ROUNDS [nonblocking | persistent] [uneven] [zero] [threads]: every call whose value is
 * put together from all ranks, one after the other, with each root in turn, while ranks die
 * (setting crash).
 *
 * What a rank gives tells whose it is. So each rank finds out of its result who is in it, and
 * writes that into a mapped file: all survivors of a call must have found the same ranks,
 * themselves among them, and places of others must hold what they held before, or zeros. A call
 * from a root that died is an error on all of them, or on none. The numbers of the calls are those
 * of setting crash. */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RANKS_MAX = 8, COUNT = 3, UNTOUCHED = -77, THREADS = 3 };

/* What a rank has found: a set of ranks, or what has come of the root's data. */
enum { LIVES = 1 << 30, FAILED = 1 << 29, GIVEN = 1 << 28 };

static int rank, n, rounds, calls, empty = UNTOUCHED;
static bool is_nonblocking, is_persistent, is_uneven;
static _Atomic uint32_t *found; /* [call of all threads * n + rank] */

/* Of one thread. */
struct scene {
    MPI_Comm comm, ring;
    int number; /* of the call */
    int root, in[RANKS_MAX * COUNT], out[RANKS_MAX * COUNT];
    int counts[RANKS_MAX], places[RANKS_MAX], own_counts[RANKS_MAX], own_places[RANKS_MAX];
    MPI_Op in_order;
};

/* The launcher drops what it has not read when it ends the job. */
static void await_reader(void)
{
    int unread = 0;

    while (ioctl(STDOUT_FILENO, FIONREAD, &unread) == 0 && unread > 0)
        usleep(1000);
}

static void fail(const struct scene *s, const char *what, int detail)
{
    printf("survivors: rank %d, call %d, root %d: %s (%d)\n", rank, s->number, s->root, what,
           detail);
    fflush(stdout);
    await_reader();
    MPI_Abort(MPI_COMM_WORLD, 3);
}

/* ---- what travels, and who is in it ---- */

static int value(const struct scene *s, int from, int to, int i)
{
    return 1 + from + 16 * to + 256 * i + 1024 * s->number;
}

/* How much @from has for @to in calls with many counts: something, so that it can be told. */
static int amount(int from, int to)
{
    return 1 + (from + to) % COUNT;
}

static void begin(struct scene *s)
{
    for (int to = 0; to < n; to++)
        for (int i = 0; i < COUNT; i++) {
            s->in[to * COUNT + i] = value(s, rank, to, i);
            s->out[to * COUNT + i] = UNTOUCHED;
        }
    for (int i = 0; i < n; i++) {
        s->places[i] = s->own_places[i] = i * COUNT;
        s->counts[i] = amount(i, rank);
        s->own_counts[i] = amount(rank, i);
    }
}

/* Place @from of the result has what that rank sent to @to, or nothing. */
static bool is_from(const struct scene *s, int from, int to, int count)
{
    const int *block = s->out + from * COUNT;
    bool is_there = block[0] == value(s, from, to, 0);

    for (int i = 0; i < COUNT; i++)
        if (block[i] != (i >= count ? UNTOUCHED : is_there ? value(s, from, to, i) : empty))
            fail(s, "a block is neither of its rank nor empty, from", from);
    return is_there;
}

/* @to: whom the blocks are for; -1: this rank, and each is as long as its sender has for it. */
static uint32_t blocks(const struct scene *s, int to, bool is_even)
{
    uint32_t ranks = 0;

    for (int from = 0; from < n; from++)
        if (is_from(s, from, to, is_even ? COUNT : amount(from, to)))
            ranks |= 1u << from;
    return ranks;
}

/* Digits of ranks in their order, as append() makes them. */
static uint32_t digits(const struct scene *s, uint64_t number)
{
    uint32_t ranks = 0;
    int last = RANKS_MAX;

    for (; number != 0; number /= 16) {
        int digit = (int)(number % 16) - 1;

        if (digit < 0 || digit >= last)
            fail(s, "not in the order of ranks", digit);
        ranks |= 1u << digit;
        last = digit;
    }
    return ranks;
}

static void append(void *left, void *right, int *count, MPI_Datatype *type)
{
    const uint64_t *l = left;
    uint64_t *r = right;

    (void)type;
    for (int i = 0; i < *count; i++) {
        uint64_t shift = 1;

        while (r[i] / shift != 0)
            shift *= 16;
        r[i] += l[i] * shift;
    }
}

/* ---- the calls: each returns who is in its result, 0 for who gets none ---- */

/* A request that is started once. */
static int play_request(MPI_Request *request)
{
    int code = MPI_Start(request);

    if (code == MPI_SUCCESS)
        code = MPI_Wait(request, MPI_STATUS_IGNORE);
    MPI_Request_free(request);
    return code;
}

#define RUN(s, name, Iname, ...) RUN_ON((s)->comm, name, Iname, __VA_ARGS__)
#define RUN_ON(on, name, Iname, ...)                                                               \
    ({                                                                                             \
        MPI_Request request;                                                                       \
        int code;                                                                                  \
                                                                                                   \
        if (is_persistent) {                                                                       \
            code = MPI_##name##_init(__VA_ARGS__, on, MPI_INFO_NULL, &request);                    \
            code = code == MPI_SUCCESS ? play_request(&request) : code;                            \
        } else if (is_nonblocking) {                                                               \
            code = MPI_##Iname(__VA_ARGS__, on, &request);                                         \
            code = code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;             \
        } else {                                                                                   \
            code = MPI_##name(__VA_ARGS__, on);                                                    \
        }                                                                                          \
        code;                                                                                      \
    })

static void must(const struct scene *s, int code)
{
    if (code != MPI_SUCCESS)
        fail(s, "an error", code);
}

static uint32_t gather(struct scene *s)
{
    must(s, RUN(s, Gather, Igather, s->in + s->root * COUNT, COUNT, MPI_INT, s->out, COUNT, MPI_INT,
                s->root));
    return rank == s->root ? blocks(s, s->root, true) : 0;
}

static uint32_t gatherv(struct scene *s)
{
    must(s, RUN(s, Gatherv, Igatherv, s->in + s->root * COUNT, amount(rank, s->root), MPI_INT,
                s->out, s->counts, s->places, MPI_INT, s->root));
    return rank == s->root ? blocks(s, s->root, false) : 0;
}

static uint32_t allgather(struct scene *s)
{
    must(s, RUN(s, Allgather, Iallgather, s->in, COUNT, MPI_INT, s->out, COUNT, MPI_INT));
    return blocks(s, 0, true);
}

static uint32_t allgatherv(struct scene *s)
{
    for (int i = 0; i < n; i++)
        s->counts[i] = amount(i, 0);
    must(s, RUN(s, Allgatherv, Iallgatherv, s->in, amount(rank, 0), MPI_INT, s->out, s->counts,
                s->places, MPI_INT));
    return blocks(s, 0, false);
}

static uint32_t alltoall(struct scene *s)
{
    must(s, RUN(s, Alltoall, Ialltoall, s->in, COUNT, MPI_INT, s->out, COUNT, MPI_INT));
    return blocks(s, rank, true);
}

static uint32_t alltoallv(struct scene *s)
{
    must(s, RUN(s, Alltoallv, Ialltoallv, s->in, s->own_counts, s->own_places, MPI_INT, s->out,
                s->counts, s->places, MPI_INT));
    return blocks(s, rank, false);
}

static uint32_t alltoallw(struct scene *s)
{
    MPI_Datatype types[RANKS_MAX];

    for (int i = 0; i < n; i++) {
        types[i] = MPI_INT;
        s->places[i] *= (int)sizeof(int);
    }
    must(s, RUN(s, Alltoallw, Ialltoallw, s->in, s->own_counts, s->places, types, s->out, s->counts,
                s->places, types));
    return blocks(s, rank, false);
}

/* Of the root's data, or an error; then the buffer is as it was. */
static uint32_t of_root(struct scene *s, int code, int count)
{
    int class;

    MPI_Error_class(code, &class);
    if (class != MPI_SUCCESS && class != MPIX_ERR_PROC_FAILED)
        fail(s, "an error that no dead root explains", class);
    for (int i = 0; i < COUNT; i++)
        if (s->out[i] !=
            (class != MPI_SUCCESS || i >= count ? UNTOUCHED : value(s, s->root, rank, i)))
            fail(s, "not what the root has", i);
    return class == MPI_SUCCESS ? GIVEN : FAILED;
}

static uint32_t scatter(struct scene *s)
{
    return of_root(
        s, RUN(s, Scatter, Iscatter, s->in, COUNT, MPI_INT, s->out, COUNT, MPI_INT, s->root),
        COUNT);
}

static uint32_t scatterv(struct scene *s)
{
    int count = amount(s->root, rank);

    return of_root(s,
                   RUN(s, Scatterv, Iscatterv, s->in, s->own_counts, s->own_places, MPI_INT, s->out,
                       count, MPI_INT, s->root),
                   count);
}

/* Those before this rank, itself included, which is all that it knows. */
static uint32_t scan(struct scene *s)
{
    int bit = 1 << rank, sum = 0;

    must(s, RUN(s, Scan, Iscan, &bit, &sum, 1, MPI_INT, MPI_SUM));
    if (sum >> (rank + 1) != 0 || !(sum & bit))
        fail(s, "not a prefix", sum);
    return 0;
}

static uint32_t exscan(struct scene *s)
{
    int bit = 1 << rank, sum = 0;

    must(s, RUN(s, Exscan, Iexscan, &bit, &sum, 1, MPI_INT, MPI_SUM));
    if (sum >> rank != 0)
        fail(s, "not what is before the rank", sum);
    return 0;
}

static uint32_t reduce_scatter_block(struct scene *s)
{
    int bits[RANKS_MAX], sum = 0;

    for (int i = 0; i < n; i++)
        bits[i] = 1 << rank;
    must(s, RUN(s, Reduce_scatter_block, Ireduce_scatter_block, bits, &sum, 1, MPI_INT, MPI_SUM));
    return (uint32_t)sum;
}

static uint32_t reduce_scatter(struct scene *s)
{
    int bits[RANKS_MAX * COUNT], sum[COUNT] = {0};

    for (int i = 0; i < n * COUNT; i++)
        bits[i] = 1 << rank;
    for (int i = 0; i < n; i++)
        s->counts[i] = amount(i, 0);
    must(s, RUN(s, Reduce_scatter, Ireduce_scatter, bits, sum, s->counts, MPI_INT, MPI_BOR));
    return (uint32_t)sum[0];
}

static uint32_t ordered_reduce(struct scene *s)
{
    uint64_t digit = (uint64_t)rank + 1, all = 0;

    must(s, RUN(s, Reduce, Ireduce, &digit, &all, 1, MPI_UINT64_T, s->in_order, s->root));
    return rank == s->root ? digits(s, all) : 0;
}

static uint32_t ordered_allreduce(struct scene *s)
{
    uint64_t digit = (uint64_t)rank + 1, all = 0;

    must(s, RUN(s, Allreduce, Iallreduce, &digit, &all, 1, MPI_UINT64_T, s->in_order));
    return digits(s, all);
}

static uint32_t ordered_scan(struct scene *s)
{
    uint64_t digit = (uint64_t)rank + 1, all = 0;

    must(s, RUN(s, Scan, Iscan, &digit, &all, 1, MPI_UINT64_T, s->in_order));
    if (!(digits(s, all) & (1u << rank)))
        fail(s, "lacks its own", (int)all);
    return 0;
}

/* Place @place of the result has what neighbor @from had for its neighbor @sent_to, or nothing. */
static void check_neighbor(const struct scene *s, int place, int from, int sent_to)
{
    const int *block = s->out + place * COUNT;
    bool is_there = block[0] == value(s, from, sent_to, 0);

    for (int i = 0; i < COUNT; i++)
        if (block[i] != (is_there ? value(s, from, sent_to, i) : empty))
            fail(s, "not what the neighbor sent, nor empty", from);
}

/* What goes to the right comes from the left. */
static uint32_t neighbors(struct scene *s)
{
    enum { LEFT, RIGHT };

    must(s, RUN_ON(s->ring, Neighbor_alltoall, Ineighbor_alltoall, s->in, COUNT, MPI_INT, s->out,
                   COUNT, MPI_INT));
    check_neighbor(s, LEFT, (rank + n - 1) % n, RIGHT);
    check_neighbor(s, RIGHT, (rank + 1) % n, LEFT);
    return 0;
}

static uint32_t (*const all_calls[])(struct scene *) = {
    gather,         gatherv,        allgather,
    allgatherv,     alltoall,       alltoallv,
    alltoallw,      scatter,        scatterv,
    scan,           exscan,         reduce_scatter_block,
    reduce_scatter, ordered_reduce, ordered_allreduce,
    ordered_scan,   neighbors,
};
/* Of which no rank knows how much the others give. */
static uint32_t (*const uneven_calls[])(struct scene *) = {
    gatherv, alltoallv, alltoallw, scatterv, neighbors,
};

/* ---- all of them ---- */

static void map_file(int threads)
{
    size_t bytes = (size_t)(threads * rounds * calls * n) * sizeof *found;
    int fd = open("survivors", O_RDWR | O_CREAT, 0600);

    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (found == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 2);
}

static _Atomic uint32_t *row(int number)
{
    return found + (size_t)number * (size_t)n;
}

static void play(struct scene *s, int first)
{
    for (int k = 0; k < rounds * calls; k++) {
        s->number = first + k;
        s->root = k / calls % n;
        begin(s);
        row(s->number)[rank] = LIVES | (is_uneven ? uneven_calls : all_calls)[k % calls](s);
    }
}

/* Who was there at the end was in each call, and all those have found the same; who has no result
 * has found nobody. */
static void judge(struct scene *s, int threads)
{
    for (s->number = 0; s->number < threads * rounds * calls; s->number++) {
        uint32_t same = 0, survivors = 0;

        for (int i = 0; i < n; i++)
            if (row(threads * rounds * calls - 1)[i] & LIVES)
                survivors |= 1u << i;
        for (int i = 0; i < n; i++) {
            uint32_t one = row(s->number)[i] & ~(uint32_t)LIVES;

            if (!(survivors >> i & 1) || one == 0)
                continue;
            if (!(one & (FAILED | GIVEN)) && (one & survivors) != survivors)
                fail(s, "a result lacks a survivor", i);
            if (same != 0 && one != same)
                fail(s, "survivors have found different ranks", i);
            same = one;
        }
    }
}

static struct scene scenes[THREADS];

static void *play_apart(void *number)
{
    int i = *(int *)number;

    play(&scenes[i], i * rounds * calls);
    return NULL;
}

static void play_all(int threads)
{
    static int number[THREADS];
    pthread_t thread[THREADS];

    for (int i = 0; i < threads; i++) {
        number[i] = i;
        pthread_create(&thread[i], NULL, play_apart, &number[i]);
    }
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
}

static bool has(int argc, char **argv, const char *word)
{
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], word) == 0)
            return true;
    return false;
}

static void prepare(int threads)
{
    for (int i = 0; i < threads; i++) {
        if (threads == 1)
            scenes[i].comm = MPI_COMM_WORLD;
        else
            MPI_Comm_dup(MPI_COMM_WORLD, &scenes[i].comm);
        MPI_Comm_set_errhandler(scenes[i].comm, MPI_ERRORS_RETURN);
        MPI_Op_create(append, 0, &scenes[i].in_order);
        MPI_Cart_create(scenes[i].comm, 1, &n, &(int){1}, 0, &scenes[i].ring);
        MPI_Comm_set_errhandler(scenes[i].ring, MPI_ERRORS_RETURN);
    }
}

int main(int argc, char **argv)
{
    int threads = has(argc, argv, "threads") ? THREADS : 1, provided;

    MPI_Init_thread(&argc, &argv, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    rounds = argc > 1 ? atoi(argv[1]) : 1;
    is_persistent = has(argc, argv, "persistent");
    is_nonblocking = is_persistent || has(argc, argv, "nonblocking");
    empty = has(argc, argv, "zero") ? 0 : UNTOUCHED;
    is_uneven = has(argc, argv, "uneven");
    calls = (int)(is_uneven ? sizeof uneven_calls : sizeof all_calls) / (int)sizeof all_calls[0];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    map_file(threads);
    prepare(threads);
    if (threads == 1)
        play(&scenes[0], 0);
    else
        play_all(threads);
    MPI_Barrier(MPI_COMM_WORLD); /* after which all survivors have written what they found */
    judge(&scenes[0], threads);
    printf("survivors: rank %d is through %d calls\n", rank, threads * rounds * calls);
    MPI_Finalize();
    return 0;
}
