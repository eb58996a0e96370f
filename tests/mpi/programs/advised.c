/* advised: calls of one kind each, by the word given, for the verdict of report = coverage:
 *
 *     advised uneven [BYTES]   blocks of different sizes, BYTES at rank 0, a quarter at the others
 *     advised returns          a broadcast and a sum, with an error handler that returns
 *     advised root             a broadcast and a scatter
 *     advised sum              reductions, and one whose root is rank 0
 *     advised files FILE       a file with a view, a size and data
 *     advised pointer FILE     a file with a shared pointer
 *     advised leaders          an intercommunicator of two groups that have leaders
 *     advised copies           communicators of the world, and of one rank
 *     advised master           rank 0 receives from any rank
 *     advised probes           rank 0 looks until all messages have come
 *     advised blocks           a gather and an alltoall
 *     advised tests            rank 0 tests until the messages of the others have come
 *     advised posted           rank 0 waits for receives from any rank
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANKS = 64, TAG = 5 };

static int rank, size;

static void *zeros(size_t bytes)
{
    void *memory = calloc(bytes + 1, 1);

    if (!memory)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

/* Each rank has a block for each other, and rank 0 the largest ones. */
__attribute__((noinline)) static void uneven(int most)
{
    int given = rank == 0 ? most : most / 4, counts[MAX_RANKS], at[MAX_RANKS], send[MAX_RANKS],
        send_at[MAX_RANKS], take[MAX_RANKS];
    char *from = zeros((size_t)most * size), *to = zeros((size_t)most * size);

    for (int i = 0; i < size; i++) {
        counts[i] = i == 0 ? most : most / 4;
        send[i] = given / size;
        take[i] = counts[i] / size;
        at[i] = send_at[i] = i * most;
    }
    MPI_Alltoallv(from, send, send_at, MPI_CHAR, to, take, at, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Allgatherv(from, given, MPI_CHAR, to, counts, at, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Gatherv(from, given, MPI_CHAR, to, counts, at, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Scatterv(from, counts, at, MPI_CHAR, to, given, MPI_CHAR, 0, MPI_COMM_WORLD);
    free(from);
    free(to);
}

static void returns(void)
{
    int one = 1, sum = 0;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void root(void)
{
    int all[MAX_RANKS] = {0}, own = 0;

    MPI_Bcast(&own, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatter(all, 1, MPI_INT, &own, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void sum(void)
{
    int one = 1, all = 0;

    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Reduce(&one, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

__attribute__((noinline)) static void files(const char *name)
{
    MPI_File file;
    char own[64];

    snprintf(own, sizeof own, "%.40s.%d", name, rank);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_set_size(file, (MPI_Offset)sizeof rank * size);
    MPI_File_write_at_all(file, rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_File_close(&file);
    MPI_File_open(MPI_COMM_SELF, own, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 1);
    MPI_File_close(&file);
}

__attribute__((noinline)) static void pointer(const char *name)
{
    MPI_File file;

    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_close(&file);
}

static void leaders(void)
{
    MPI_Comm half, between;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, TAG, &between);
}

static void copies(void)
{
    MPI_Comm copy, one;

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &one);
    MPI_Comm_dup(one, &copy);
}

static void send_to_master(void)
{
    if (rank != 0)
        MPI_Send(&rank, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
}

static void master(void)
{
    int value;

    send_to_master();
    for (int i = 1; rank == 0 && i < size; i++)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void probes(void)
{
    int value, is_there;
    MPI_Status status;

    send_to_master();
    for (int left = size - 1; rank == 0 && left > 0; left -= is_there) {
        MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &is_there, &status);
        if (is_there)
            MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, TAG, MPI_COMM_WORLD, &status);
    }
}

static void blocks(void)
{
    int all[MAX_RANKS] = {0}, new[MAX_RANKS];

    MPI_Gather(&rank, 1, MPI_INT, new, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Alltoall(all, 1, MPI_INT, new, 1, MPI_INT, MPI_COMM_WORLD);
}

/* A request after the other, then all that are left. */
static void tests(void)
{
    int value[MAX_RANKS], is_there = 0;
    MPI_Request request[MAX_RANKS];
    MPI_Status status[MAX_RANKS];

    send_to_master();
    for (int i = 1; rank == 0 && i < size; i++)
        MPI_Irecv(&value[i], 1, MPI_INT, i, TAG, MPI_COMM_WORLD, &request[i - 1]);
    while (rank == 0 && !is_there)
        MPI_Test(&request[0], &is_there, MPI_STATUS_IGNORE);
    for (is_there = 0; rank == 0 && !is_there;)
        MPI_Testall(size - 1, request, &is_there, status);
}

static void posted(void)
{
    int value[MAX_RANKS];
    MPI_Request request[MAX_RANKS];
    MPI_Status status[MAX_RANKS];

    send_to_master();
    for (int i = 1; rank == 0 && i < size; i++)
        MPI_Irecv(&value[i], 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &request[i - 1]);
    MPI_Waitall(rank == 0 ? size - 1 : 0, request, status);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *word;
        void (*call)(void);
    } all[] = {{"returns", returns}, {"root", root},     {"sum", sum},       {"leaders", leaders},
               {"copies", copies},   {"master", master}, {"probes", probes}, {"posted", posted},
               {"blocks", blocks},   {"tests", tests}};
    const char *word = argc > 1 ? argv[1] : "", *more = argc > 2 ? argv[2] : "";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(word, "uneven") == 0)
        uneven(atoi(more));
    if (strcmp(word, "files") == 0)
        files(more);
    if (strcmp(word, "pointer") == 0)
        pointer(more);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(word, all[i].word) == 0)
            all[i].call();
    MPI_Finalize();
    return 0;
}
