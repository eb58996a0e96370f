/* bulk: large collective calls, whose results tell of each element who is in it, and how often.
 *
 *     bulk CALL[:ROOT] BYTES ROUNDS
 *
 * CALL is allreduce, inplace, reduce, reduce_inplace, bcast, matrix (an operation that is not
 * commutative), gaps (a datatype with gaps), wide (elements of 2 MiB), imatrix, igaps, iwide (the
 * same with a request), pairs (MPI_MAXLOC of a type with a gap), packed (a broadcast whose root
 * describes the data by another datatype), nonblocking, persistent, ibcast, threads (one
 * communicator each), or asleep (matrix, in which rank ROOT does nothing until it is taken for
 * dead). After each of the ROUNDS the survivors compare whose data they have. Ranks die by setting
 * crash. */
#include "../../../include/ftcoll.h"

#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS_MAX = 8, DIGIT = 4, GAP = 0x5a, THREADS = 3, WIDE_WORDS = 1 << 18 };

struct job {
    MPI_Comm comm;
    int rank, n, root;
    size_t bytes;
    int has_request; /* of calls with an operation of the program's */
    unsigned all;    /* whose data were in the last result */
};

static void fail(const struct job *j, const char *what, long long where)
{
    printf("bulk: rank %d: %s, element %lld\n", j->rank, what, where);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 9);
}

static int is_dead(const struct job *j, int rank)
{
    int dead[RANKS_MAX], count, found = 0;

    count = ftcoll_failed_ranks ? ftcoll_failed_ranks(j->comm, RANKS_MAX, dead) : 0;
    for (int i = 0; i < count; i++)
        found |= dead[i] == rank;
    return found;
}

/* ---- sums that tell who is in them: a digit a rank below, the element's number above ---- */

static uint64_t own_element(const struct job *j, size_t e)
{
    return (uint64_t)e << 32 | 1ull << DIGIT * j->rank;
}

/* Whose contributions element 0 has. */
static unsigned set_of(uint64_t sum)
{
    unsigned set = 0;

    for (int r = 0; r < RANKS_MAX; r++)
        set |= (sum >> DIGIT * r & 15) == 1 ? 1u << r : 0;
    return set;
}

static uint64_t sum_of(unsigned set, size_t e)
{
    uint64_t digits = 0;

    for (int r = 0; r < RANKS_MAX; r++)
        digits |= (uint64_t)(set >> r & 1) << DIGIT * r;
    return (uint64_t)__builtin_popcount(set) * e << 32 | digits;
}

static unsigned check_sums(const struct job *j, const uint64_t *sum, size_t count, size_t stride)
{
    unsigned set = count > 0 ? set_of(sum[0]) : 1u << j->rank;

    for (size_t e = 0; e < count; e++)
        if (sum[e * stride] != sum_of(set, e))
            fail(j, "a sum is wrong", (long long)e);
    return set;
}

static uint64_t *fill(const struct job *j, size_t count)
{
    uint64_t *in = malloc(count * sizeof *in + 1);

    for (size_t e = 0; e < count; e++)
        in[e] = own_element(j, e);
    return in;
}

static unsigned sums(const struct job *j, int in_place, int to_root)
{
    size_t count = j->bytes / sizeof(uint64_t);
    uint64_t *in = fill(j, count), *out = malloc(j->bytes + 1);
    int gets = !to_root || j->rank == j->root;
    const void *from = in_place && gets ? MPI_IN_PLACE : in;
    void *to = in_place ? in : out;
    unsigned set;

    if (to_root)
        MPI_Reduce(from, gets ? to : NULL, (int)count, MPI_UINT64_T, MPI_SUM, j->root, j->comm);
    else
        MPI_Allreduce(from, to, (int)count, MPI_UINT64_T, MPI_SUM, j->comm);
    set = gets ? check_sums(j, to, count, 1) : 0;
    if (!in_place && memcmp(in, (uint64_t[]){own_element(j, 0)}, count > 0 ? 8 : 0) != 0)
        fail(j, "the input has changed", 0);
    free(in);
    free(out);
    return set;
}

static unsigned nonblocking(const struct job *j)
{
    size_t count = j->bytes / sizeof(uint64_t);
    uint64_t *in = fill(j, count), *out = malloc(j->bytes + 1), small = 1, total = 0;
    MPI_Request request[2];
    MPI_Status status[2];
    unsigned set;

    MPI_Iallreduce(in, out, (int)count, MPI_UINT64_T, MPI_SUM, j->comm, &request[0]);
    MPI_Iallreduce(&small, &total, 1, MPI_UINT64_T, MPI_SUM, j->comm, &request[1]);
    MPI_Waitall(2, request, status);
    set = check_sums(j, out, count, 1);
    if (total > (uint64_t)__builtin_popcount(set))
        fail(j, "the small one has more", (long long)total);
    free(in);
    free(out);
    return set;
}

/* Who is in it is told of the communicator, as of any other. */
static unsigned persistent(const struct job *j)
{
    size_t count = j->bytes / sizeof(uint64_t);
    uint64_t *in = fill(j, count), *out = malloc(j->bytes + 1);
    int ranks[RANKS_MAX];
    MPI_Request request;
    unsigned set;

    MPI_Allreduce_init(in, out, (int)count, MPI_UINT64_T, MPI_SUM, j->comm, MPI_INFO_NULL,
                       &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    set = check_sums(j, out, count, 1);
    if (ftcoll_contributors &&
        ftcoll_contributors(j->comm, RANKS_MAX, ranks) != __builtin_popcount(set))
        fail(j, "the contributors are not told", set);
    MPI_Request_free(&request);
    free(in);
    free(out);
    return set;
}

/* ---- datatypes and operations of the program's own ---- */

static void combine(const struct job *j, const void *from, void *to, size_t count,
                    MPI_Datatype type, MPI_Op op)
{
    MPI_Request request = MPI_REQUEST_NULL;

    if (j->has_request)
        MPI_Iallreduce(from, to, (int)count, type, op, j->comm, &request);
    else
        MPI_Allreduce(from, to, (int)count, type, op, j->comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

struct matrix {
    unsigned set, a[4];
};

static const struct job *asleep; /* until it is taken for dead */

static void sleep_until_dead(void)
{
    while (asleep && !is_dead(asleep, asleep->rank))
        usleep(1000);
    asleep = NULL;
}

/* The order of the ranks, each once. */
static void multiply(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const struct matrix *left = in;
    struct matrix *right = inout;

    (void)type;
    sleep_until_dead();
    for (int i = 0; i < *count; i++) {
        const unsigned *l = left[i].a,
                       r[4] = {right[i].a[0], right[i].a[1], right[i].a[2], right[i].a[3]};
        int is_before = 32 - __builtin_clz(left[i].set) <= __builtin_ctz(right[i].set);

        right[i].set = is_before ? left[i].set | right[i].set : 0x80000000u;
        right[i].a[0] = l[0] * r[0] + l[1] * r[2];
        right[i].a[1] = l[0] * r[1] + l[1] * r[3];
        right[i].a[2] = l[2] * r[0] + l[3] * r[2];
        right[i].a[3] = l[2] * r[1] + l[3] * r[3];
    }
}

static struct matrix own_matrix(int rank, size_t e)
{
    return (struct matrix){1u << rank, {(unsigned)rank + 2, (unsigned)e, 3, (unsigned)rank + 5}};
}

static void check_matrix(const struct job *j, const struct matrix *m, unsigned set, size_t e)
{
    struct matrix right = {0};
    int one = 1, any = 0;

    for (int r = j->n - 1; r >= 0; r--) {
        struct matrix left = own_matrix(r, e);

        if ((set >> r & 1) == 0)
            continue;
        if (any)
            multiply(&left, &right, &one, NULL);
        else
            right = left;
        any = 1;
    }
    if (memcmp(m, &right, sizeof right) != 0)
        fail(j, "a product is wrong", (long long)e);
}

static unsigned matrices(const struct job *j)
{
    size_t count = j->bytes / sizeof(struct matrix);
    struct matrix *in = malloc(j->bytes + 1), *out = malloc(j->bytes + 1);
    MPI_Datatype type;
    MPI_Op op;
    unsigned set = count > 0 ? 0 : 1u << j->rank;

    for (size_t e = 0; e < count; e++)
        in[e] = own_matrix(j->rank, e);
    MPI_Type_contiguous(5, MPI_UNSIGNED, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(multiply, 0, &op);
    combine(j, in, out, count, type, op);
    for (size_t e = 0; e < count; e++)
        check_matrix(j, &out[e], set = out[0].set, e);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    free(in);
    free(out);
    return set;
}

enum { SPREAD = 3 }; /* words an element with gaps takes; the first and the second are its data */

static void add_spread(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < SPREAD * *count; i++)
        if (i % SPREAD != 2)
            ((uint64_t *)inout)[i] += ((uint64_t *)in)[i];
}

static unsigned gaps(const struct job *j)
{
    size_t count = j->bytes / (SPREAD * sizeof(uint64_t)), words = count * SPREAD;
    uint64_t *io = malloc(words * sizeof *io + 1), gap;
    MPI_Datatype two, type;
    unsigned set;
    MPI_Op op;

    memset(&gap, GAP, sizeof gap);
    for (size_t e = 0; e < words; e++)
        io[e] = e % SPREAD == 2 ? gap : own_element(j, e / SPREAD);
    MPI_Type_contiguous(2, MPI_UINT64_T, &two);
    MPI_Type_create_resized(two, 0, SPREAD * sizeof *io, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(add_spread, 1, &op);
    combine(j, MPI_IN_PLACE, io, count, type, op);
    set = check_sums(j, io, count, SPREAD);
    if (count > 0 && check_sums(j, io + 1, count, SPREAD) != set)
        fail(j, "halves of elements differ", 0);
    for (size_t e = 2; e < words; e += SPREAD)
        if (io[e] != gap)
            fail(j, "a gap was written", (long long)e);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    MPI_Type_free(&two);
    free(io);
    return set;
}

static void add_wide(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (size_t i = 0; i < (size_t)*count * WIDE_WORDS; i++)
        ((uint64_t *)inout)[i] += ((uint64_t *)in)[i];
}

static unsigned wide(const struct job *j)
{
    size_t count = j->bytes / (WIDE_WORDS * sizeof(uint64_t)), words = count * WIDE_WORDS;
    uint64_t *in = fill(j, words), *out = malloc(words * sizeof *out + 1);
    MPI_Datatype type;
    unsigned set;
    MPI_Op op;

    MPI_Type_contiguous(WIDE_WORDS, MPI_UINT64_T, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(add_wide, 1, &op);
    combine(j, in, out, count, type, op);
    set = check_sums(j, out, words, 1);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    free(in);
    free(out);
    return set;
}

/* Whoever stands out in element e is rank e % n, if it is in it. */
static unsigned pairs(const struct job *j)
{
    struct pair {
        double value;
        int rank;
    };
    size_t count = j->bytes / sizeof(struct pair);
    struct pair *in = calloc(count + 1, sizeof *in), *out = calloc(count + 1, sizeof *out);
    unsigned set = 0;

    for (size_t e = 0; e < count; e++)
        in[e] = (struct pair){(int)e % j->n == j->rank ? 1 : 0, j->rank};
    MPI_Allreduce(in, out, (int)count, MPI_DOUBLE_INT, MPI_MAXLOC, j->comm);
    for (size_t e = 0; e < count && e < (size_t)j->n; e++)
        set |= out[e].value == 1 ? 1u << out[e].rank : 0;
    for (size_t e = 0; e < count; e++) {
        int is_in = set >> e % (size_t)j->n & 1;

        if (out[e].value != is_in ||
            out[e].rank != (is_in ? (int)(e % (size_t)j->n) : __builtin_ctz(set)))
            fail(j, "a maximum is wrong", (long long)e);
    }
    free(in);
    free(out);
    return set;
}

static void broadcast_once(const struct job *j, uint64_t *data, int count, int is_nonblocking)
{
    MPI_Request request = MPI_REQUEST_NULL;

    if (is_nonblocking)
        MPI_Ibcast(data, count, MPI_UINT64_T, j->root, j->comm, &request);
    else
        MPI_Bcast(data, count, MPI_UINT64_T, j->root, j->comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* With on_dead_root = keep the buffer is as it was, all of it, if the root has died. */
static unsigned broadcast(const struct job *j, const char *call)
{
    int is_packed = strcmp(call, "packed") == 0;
    size_t count = j->bytes / sizeof(uint64_t) / 2 * 2;
    uint64_t *data = calloc(count * 2 + 1, sizeof *data);
    int is_root = j->rank == j->root, spread = is_packed && !is_root ? 2 : 1, is_there;
    MPI_Datatype pair, type;

    for (size_t e = 0; is_root && e < count; e++)
        data[e] = e * 7 + 1;
    MPI_Type_vector(2, 1, 2, MPI_UINT64_T, &pair);
    MPI_Type_create_resized(pair, 0, 4 * sizeof *data, &type);
    MPI_Type_commit(&type);
    if (spread == 2)
        MPI_Bcast(data, (int)count / 2, type, j->root, j->comm);
    else
        broadcast_once(j, data, (int)count, strcmp(call, "ibcast") == 0);
    is_there = count == 0 || data[0] != 0 || !is_dead(j, j->root);
    for (size_t e = 0; e < count; e++)
        if (data[e * (size_t)spread] != (is_there ? e * 7 + 1 : 0))
            fail(j, "a broadcast is wrong", (long long)e);
    MPI_Type_free(&type);
    MPI_Type_free(&pair);
    free(data);
    return 0;
}

/* ---- rounds ---- */

/* Everybody alive has the same set, in which all of them are. */
static void compare(struct job *j, unsigned set, int is_known)
{
    unsigned long mine[3] = {set, ~(unsigned long)set, ~(1ul << j->rank)}, all[3];
    int told = 0, ranks[RANKS_MAX];

    if (!is_known)
        mine[0] = mine[1] = ~0ul; /* only the root knows */
    MPI_Allreduce(mine, all, 3, MPI_UNSIGNED_LONG, MPI_BAND, j->comm);
    if (is_known && (all[0] != set || ~all[1] != set || (~all[2] & ~(unsigned long)set) != 0))
        fail(j, "survivors differ", (long long)all[0]);
    if (is_known && ftcoll_contributors) {
        told = ftcoll_contributors(j->comm, RANKS_MAX, ranks);
        for (int i = 0; i < told; i++)
            set ^= 1u << ranks[i];
        if (told > 0 && set != 0)
            fail(j, "other contributors are told", (long long)set);
    }
    j->all = is_known ? (unsigned)all[0] : 0;
}

static void one_round(struct job *j, const char *call)
{
    int to_root = strncmp(call, "reduce", 6) == 0, knows = !to_root || j->rank == j->root;
    unsigned set = 0;

    if (strstr(call, "matrix"))
        set = matrices(j);
    else if (strstr(call, "gaps"))
        set = gaps(j);
    else if (strstr(call, "wide"))
        set = wide(j);
    else if (strcmp(call, "pairs") == 0)
        set = pairs(j);
    else if (strcmp(call, "nonblocking") == 0)
        set = nonblocking(j);
    else if (strcmp(call, "persistent") == 0)
        set = persistent(j);
    else if (strstr(call, "bcast") || strcmp(call, "packed") == 0)
        knows = (int)broadcast(j, call);
    else
        set = sums(j, strstr(call, "inplace") != NULL, to_root);
    compare(j, set, knows && j->bytes > 0);
}

struct thread {
    struct job job;
    int rounds;
};

static void *run_thread(void *argument)
{
    struct thread *t = argument;

    for (int i = 0; i < t->rounds; i++)
        one_round(&t->job, i % 2 ? "inplace" : "allreduce");
    return NULL;
}

static void threads(const struct job *j, int rounds)
{
    struct thread t[THREADS];
    pthread_t handle[THREADS];

    for (int i = 0; i < THREADS; i++) {
        t[i] = (struct thread){*j, rounds};
        t[i].job.bytes = j->bytes >> i;
        MPI_Comm_dup(MPI_COMM_WORLD, &t[i].job.comm);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&handle[i], NULL, run_thread, &t[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(handle[i], NULL);
}

int main(int argc, char **argv)
{
    struct job j = {.comm = MPI_COMM_WORLD};
    int rounds = argc > 3 ? atoi(argv[3]) : 1, provided;
    char *call = argc > 1 ? strdup(argv[1]) : strdup("allreduce"), *root = strchr(call, ':');

    if (strcmp(call, "threads") == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &j.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &j.n);
    j.bytes = argc > 2 ? (size_t)atoll(argv[2]) : 1 << 20;
    if (root) {
        *root = '\0';
        j.root = atoi(root + 1);
    }
    j.has_request = *call == 'i';
    if (strcmp(call, "threads") == 0)
        threads(&j, rounds);
    for (int i = 0; i < rounds && strcmp(call, "threads") != 0; i++) {
        if (strcmp(call, "asleep") == 0 && i == 1 && j.rank == j.root)
            asleep = &j;
        one_round(&j, strcmp(call, "asleep") == 0 ? "matrix" : call);
        if (i == 0 && j.rank == 0) {
            printf("go\n");
            fflush(stdout);
        }
    }
    printf("bulk: rank %d is through, the last result has %#x\n", j.rank, j.all);
    free(call);
    MPI_Finalize();
    return 0;
}
