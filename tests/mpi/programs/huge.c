/* huge: one block of more than 2 GiB, from one rank to another.
 *
 *     huge CALL
 *
 * CALL is bcast, ibcast, scatter, gather or ialltoallv. Rank 0 gives it, as one element of a
 * datatype that has a piece of memory again and again, and all others of a broadcast, or rank 1,
 * the last one, get it as it stands. Who gets it tells whether it has come, all of it or nothing.
 * Memory for it is not touched before. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PIECE_WORDS = 3 << 17, PIECE = PIECE_WORDS * 8, PIECES = 684, RANKS_MAX = 8 };
static const size_t block_bytes = (size_t)PIECE * PIECES;
static int rank, n;
static const char *call;
static uint64_t *block; /* what comes */

/* Zero pages, which take no memory until they are written to. */
static void *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 9);
    return memory;
}

static uint64_t word(size_t i)
{
    return (i % PIECE_WORDS + 1) * 0x9e3779b97f4a7c15;
}

static size_t words(void)
{
    return block_bytes / sizeof(uint64_t);
}

/* All of a block out of one piece; so is the next block. */
static MPI_Datatype repeated(void)
{
    MPI_Datatype pieces, type;

    MPI_Type_create_hvector(PIECES, PIECE_WORDS, 0, MPI_UINT64_T, &pieces);
    MPI_Type_create_resized(pieces, 0, 0, &type);
    MPI_Type_commit(&type);
    return type;
}

static uint64_t *piece(void)
{
    uint64_t *data = map(PIECE);

    for (size_t i = 0; i < PIECE_WORDS; i++)
        data[i] = word(i);
    return data;
}

static int is(const char *name)
{
    return strcmp(call, name) == 0;
}

static int waited(int rv, MPI_Request *request)
{
    return rv == MPI_SUCCESS ? MPI_Wait(request, MPI_STATUS_IGNORE) : rv;
}

#define WORLD   MPI_COMM_WORLD
#define GIVEN   piece(), 1, repeated()
#define COMES   block, (int)words(), MPI_UINT64_T
#define NOTHING NULL, 0, MPI_UINT64_T
#define OWN     MPI_IN_PLACE, 0, MPI_UINT64_T /* of a root, which is not touched */

static int broadcast(void)
{
    return rank == 0 ? MPI_Bcast(GIVEN, 0, WORLD) : MPI_Bcast(COMES, 0, WORLD);
}

static int begin_broadcast(void)
{
    MPI_Request request;
    int rv =
        rank == 0 ? MPI_Ibcast(GIVEN, 0, WORLD, &request) : MPI_Ibcast(COMES, 0, WORLD, &request);

    return waited(rv, &request);
}

static int scatter(void)
{
    return rank == 0 ? MPI_Scatter(GIVEN, OWN, 0, WORLD) : MPI_Scatter(NOTHING, COMES, 0, WORLD);
}

static int gather(void)
{
    return rank == n - 1 ? MPI_Gather(OWN, COMES, n - 1, WORLD)
                         : MPI_Gather(GIVEN, NOTHING, n - 1, WORLD);
}

static int alltoall(void)
{
    int counts[RANKS_MAX] = {0}, come[RANKS_MAX] = {0}, places[RANKS_MAX] = {0};
    MPI_Request request;
    int rv;

    counts[n - 1] = rank == 0;
    come[0] = rank == n - 1 ? (int)words() : 0;
    rv = MPI_Ialltoallv(piece(), counts, places, repeated(), block, come, places, MPI_UINT64_T,
                        WORLD, &request);
    return waited(rv, &request);
}

static int carry_out(void)
{
    return is("bcast")     ? broadcast()
           : is("ibcast")  ? begin_broadcast()
           : is("scatter") ? scatter()
           : is("gather")  ? gather()
                           : alltoall();
}

static const char *what_has_come(void)
{
    size_t right = 0, empty = 0;

    for (size_t i = 0; i < words(); i++) {
        right += block[i] == word(i);
        empty += block[i] == 0;
    }
    return right == words() ? "all of it" : empty == words() ? "nothing" : "something else";
}

/* Of an error the last words: Hydra 5.0.2 cuts lines of more than 128 bytes, which those of others
 * come between then. */
static const char *told(int rv)
{
    static char text[MPI_MAX_ERROR_STRING];
    const char *last;
    int length;

    if (rv == MPI_SUCCESS)
        return what_has_come();
    MPI_Error_string(rv, text, &length);
    last = strrchr(text, ',');
    return last ? last + 1 : text;
}

static int gets_it(void)
{
    return is("bcast") || is("ibcast") ? rank != 0 : rank == n - 1;
}

int main(int argc, char **argv)
{
    int rv, class;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &n);
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
    call = argv[1];
    block = map((size_t)n * block_bytes);
    rv = carry_out();
    MPI_Error_class(rv, &class);
    if (gets_it() || rv != MPI_SUCCESS)
        printf("huge: rank %d: %s%s\n", rank, class == MPI_ERR_NO_MEM ? "MPI_ERR_NO_MEM: " : "",
               told(rv));
    fflush(stdout);
    MPI_Barrier(WORLD);
    MPI_Finalize();
    return 0;
}
