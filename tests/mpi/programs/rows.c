/* rows: large collective calls that move blocks, whose results tell of each block whose it is.
 *
 *     rows [i|p]CALL[:ROOT] BYTES ROUNDS
 *
 * CALL is allgather, allgatherv, inplace (allgather), gather, gatherv, scatter, scatterv, alltoall,
 * alltoallv, alltoallw, turned (alltoall in place), spread (alltoall from memory with gaps), scan,
 * exscan, reduce_scatter, ring (neighbor_allgather), around (neighbor_alltoallv); i and p are for
 * its nonblocking and its persistent form. Each rank has BYTES for each, or in all. After each of
 * the ROUNDS the survivors compare whose data they have: no two may disagree. Ranks die by setting
 * crash. */
#include "../../../include/ftcoll.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 8, DIGIT = 4 };

static int rank, n, root, count, trip;
static char form; /* 'i', 'p', or 0 */
static const char *call;
static MPI_Comm ring;
static uint64_t *in, *out;
static unsigned there, missing; /* whose data have come, and whose have not */

static void fail(const char *what, int from, long long where)
{
    printf("rows: rank %d: %s, of rank %d, element %lld\n", rank, what, from, where);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 9);
}

static int is(const char *name)
{
    return strcmp(call, name) == 0;
}

/* ---- what travels ---- */

static const uint64_t untouched = 0x5a5a5a5a5a5a5a5a;

/* Element @e of what @from has for @to; of what it has for all, @to is 0. */
static uint64_t element(int from, int to, int e)
{
    return (uint64_t)(from + 1) << 56 | (uint64_t)to << 48 | (uint64_t)(trip & 255) << 40 |
           (unsigned)e;
}

static void fill(uint64_t *block, int from, int to, int stride)
{
    for (int e = 0; e < count; e++)
        block[(size_t)e * (size_t)stride] = element(from, to, e);
}

/* All of the block is from @from, or none of it. */
static void check(const uint64_t *block, int from, int to)
{
    int has_come = count == 0 || block[0] != untouched;

    for (int e = 0; e < count; e++)
        if (block[e] != (has_come ? element(from, to, e) : untouched))
            fail("a block is wrong", from, e);
    *(has_come ? &there : &missing) |= 1u << from;
}

static uint64_t *block_of(uint64_t *buffer, int index)
{
    return buffer + (size_t)index * (size_t)count;
}

static void blank(uint64_t *buffer, int blocks)
{
    for (size_t e = 0; e < (size_t)blocks * (size_t)count; e++)
        buffer[e] = untouched;
}

/* ---- calls ---- */

#define DO(name, lower, ...)                                                                       \
    do {                                                                                           \
        MPI_Request request_ = MPI_REQUEST_NULL;                                                   \
        if (form == 'i')                                                                           \
            MPI_I##lower(__VA_ARGS__, &request_);                                                  \
        else if (form == 'p')                                                                      \
            MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request_);                              \
        else                                                                                       \
            MPI_##name(__VA_ARGS__);                                                               \
        if (form == 'p')                                                                           \
            MPI_Start(&request_);                                                                  \
        MPI_Wait(&request_, MPI_STATUS_IGNORE);                                                    \
        if (form == 'p')                                                                           \
            MPI_Request_free(&request_);                                                           \
    } while (0)

#define WORLD     MPI_COMM_WORLD
#define BLOCK(b)  (b), count, MPI_UINT64_T
#define BLOCKS(b) (b), counts, places, MPI_UINT64_T
#define TYPED(b)  (b), counts, bytes, types

static int counts[RANKS_MAX], places[RANKS_MAX], bytes[RANKS_MAX];
static MPI_Datatype types[RANKS_MAX];

static void gathers(void)
{
    const void *from = in;

    fill(in, rank, 0, 1);
    if (is("inplace")) {
        fill(block_of(out, rank), rank, 0, 1);
        from = MPI_IN_PLACE;
        DO(Allgather, allgather, BLOCK(from), BLOCK(out), WORLD);
    } else if (is("allgather"))
        DO(Allgather, allgather, BLOCK(in), BLOCK(out), WORLD);
    else if (is("allgatherv"))
        DO(Allgatherv, allgatherv, BLOCK(in), BLOCKS(out), WORLD);
    else if (is("gather"))
        DO(Gather, gather, BLOCK(in), BLOCK(out), root, WORLD);
    else
        DO(Gatherv, gatherv, BLOCK(in), BLOCKS(out), root, WORLD);
    for (int r = 0; r < n && (strstr(call, "all") || is("inplace") || rank == root); r++)
        check(block_of(out, r), r, 0);
}

static void scatters(void)
{
    for (int r = 0; r < n && rank == root; r++)
        fill(block_of(in, r), root, r, 1);
    if (is("scatter"))
        DO(Scatter, scatter, BLOCK(in), BLOCK(out), root, WORLD);
    else
        DO(Scatterv, scatterv, BLOCKS(in), BLOCK(out), root, WORLD);
    check(out, root, rank);
}

static void exchanges(void)
{
    MPI_Datatype one, gap;
    int stride = is("spread") ? 2 : 1;

    for (int r = 0; r < n; r++)
        fill(in + (size_t)r * (size_t)count * (size_t)stride, rank, r, stride);
    MPI_Type_contiguous(1, MPI_UINT64_T, &one);
    MPI_Type_create_resized(one, 0, 16, &gap);
    MPI_Type_commit(&gap);
    if (is("turned"))
        memcpy(out, in, (size_t)n * (size_t)count * 8);
    if (is("turned"))
        DO(Alltoall, alltoall, BLOCK(MPI_IN_PLACE), BLOCK(out), WORLD);
    else if (is("spread"))
        DO(Alltoall, alltoall, in, count, gap, BLOCK(out), WORLD);
    else if (is("alltoall"))
        DO(Alltoall, alltoall, BLOCK(in), BLOCK(out), WORLD);
    else if (is("alltoallv"))
        DO(Alltoallv, alltoallv, BLOCKS(in), BLOCKS(out), WORLD);
    else
        DO(Alltoallw, alltoallw, TYPED(in), TYPED(out), WORLD);
    for (int r = 0; r < n; r++) {
        int is_kept = is("turned") && count > 0 && block_of(out, r)[0] == element(rank, r, 0);

        if (is_kept && r != rank) { /* of a dead rank: what was to go there */
            for (int e = 0; e < count; e++)
                if (block_of(out, r)[e] != element(rank, r, e))
                    fail("a block in place is wrong", r, e);
            missing |= 1u << r;
        } else {
            check(block_of(out, r), r, rank);
        }
    }
    MPI_Type_free(&gap);
    MPI_Type_free(&one);
}

/* A digit a rank below, the element's number above. */
static void check_sums(const uint64_t *sum, int first, int elements, unsigned of)
{
    unsigned set = 0;

    for (int r = 0; elements > 0 && r < n; r++)
        set |= (unsigned)(sum[0] >> DIGIT * r & 15) << r;
    for (int e = 0; e < elements; e++) {
        uint64_t right = (uint64_t)__builtin_popcount(set) * (uint64_t)(first + e) << 32;

        for (int r = 0; r < n; r++)
            right |= (uint64_t)(set >> r & 1) << DIGIT * r;
        if (sum[e] != right)
            fail("a sum is wrong", rank, e);
    }
    if (elements == 0)
        return;
    there |= set;
    missing |= of & ~set;
}

static void combines(void)
{
    int scatters_sums = is("reduce_scatter"), is_scan = is("scan"), before = (1 << rank) - 1;
    int most = scatters_sums ? n * count : count;

    for (int e = 0; e < most; e++)
        in[e] = (uint64_t)e << 32 | 1ull << DIGIT * rank;
    if (scatters_sums)
        DO(Reduce_scatter, reduce_scatter, in, out, counts, MPI_UINT64_T, MPI_SUM, WORLD);
    else if (is_scan)
        DO(Scan, scan, in, out, count, MPI_UINT64_T, MPI_SUM, WORLD);
    else
        DO(Exscan, exscan, in, out, count, MPI_UINT64_T, MPI_SUM, WORLD);
    if (scatters_sums)
        check_sums(out, rank * count, count, (1u << n) - 1);
    else if (is_scan || (count > 0 && out[0] != untouched))
        check_sums(out, 0, count, (unsigned)before | (is_scan ? 1u << rank : 0));
    else if (count > 0)
        missing |= (unsigned)before;
}

static void goes_round(void)
{
    int neighbor[2] = {(rank + n - 1) % n, (rank + 1) % n};

    if (is("ring")) {
        fill(in, rank, 0, 1);
        DO(Neighbor_allgather, neighbor_allgather, BLOCK(in), BLOCK(out), ring);
    } else {
        for (int i = 0; i < 2; i++)
            fill(block_of(in, i), rank, neighbor[i], 1);
        DO(Neighbor_alltoallv, neighbor_alltoallv, BLOCKS(in), BLOCKS(out), ring);
    }
    for (int i = 0; i < 2; i++)
        check(block_of(out, i), neighbor[i], is("ring") ? 0 : rank);
}

/* ---- rounds ---- */

/* Nobody disagrees, and nobody alive is missing. */
static void compare(void)
{
    unsigned mine[3] = {there, missing, 1u << rank}, all[3];

    MPI_Allreduce(mine, all, 3, MPI_UNSIGNED, MPI_BOR, WORLD);
    if (all[1] & all[2])
        fail("a living rank is missing", __builtin_ctz(all[1] & all[2]), 0);
    if (all[0] & all[1])
        fail("survivors differ", __builtin_ctz(all[0] & all[1]), 0);
    there = all[0];
}

static void one_round(void)
{
    there = missing = 0;
    blank(out, n);
    if (strstr(call, "gather") || is("inplace"))
        gathers();
    else if (strstr(call, "scan") || is("reduce_scatter"))
        combines();
    else if (strstr(call, "scatter"))
        scatters();
    else if (is("ring") || is("around"))
        goes_round();
    else
        exchanges();
    compare();
}

int main(int argc, char **argv)
{
    char *name = strdup(argc > 1 ? argv[1] : "allgather"), *colon = strchr(name, ':');
    size_t size = argc > 2 ? (size_t)atoll(argv[2]) : 1 << 20;
    int rounds = argc > 3 ? atoi(argv[3]) : 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &n);
    MPI_Cart_create(WORLD, 1, &n, &(int){1}, 0, &ring);
    if (colon) {
        *colon = '\0';
        root = atoi(colon + 1);
    }
    call = name;
    if ((name[0] == 'i' && strcmp(name, "inplace") != 0) || name[0] == 'p') {
        form = name[0];
        call = name + 1;
    }
    count = (int)(size / sizeof *in);
    for (int i = 0; i < n; i++) {
        counts[i] = count;
        places[i] = i * count;
        bytes[i] = places[i] * 8;
        types[i] = MPI_UINT64_T;
    }
    in = malloc(2 * (size_t)n * size + 8);
    out = malloc((size_t)n * size + 8);
    for (trip = 0; trip < rounds; trip++)
        one_round();
    printf("rows: rank %d is through, the last result has %#x\n", rank, there);
    free(in);
    free(out);
    free(name);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
