/* crowd FORM REQUESTS: as many persistent calls at once, larger than messages are. FORM is
 * allreduce or allgather. A rank can be in MOST of them: all others are to be errors on all ranks,
 * and right when they are started again one by one. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, REQUESTS_MAX = 100, RANKS_MAX = 8, COUNT = 5000 };

static int rank, n, problems;
static bool gathers;
static int in[COUNT], out[REQUESTS_MAX][RANKS_MAX * COUNT];
static MPI_Request request[REQUESTS_MAX];

static void complain(const char *what, int i)
{
    if (problems++ < 5)
        fprintf(stderr, "crowd: rank %d, request %d: %s\n", rank, i, what);
}

static void make(int i)
{
    if (gathers)
        MPI_Allgather_init(in, COUNT, MPI_INT, out[i], COUNT, MPI_INT, MPI_COMM_WORLD,
                           MPI_INFO_NULL, &request[i]);
    else
        MPI_Allreduce_init(in, out[i], COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                           &request[i]);
}

static bool is_right(int i)
{
    int blocks = gathers ? n : 1;

    for (int k = 0; k < blocks * COUNT; k++)
        if (out[i][k] != (gathers ? k / COUNT + 1 : n * (n + 1) / 2))
            return false;
    return true;
}

static bool is_too_many(int rv)
{
    char text[MPI_MAX_ERROR_STRING];
    int class, length;

    MPI_Error_class(rv, &class);
    MPI_Error_string(rv, text, &length);
    return class == MPI_ERR_NO_MEM && strstr(text, "more than 16 large calls at once");
}

/* None of those that the last rank begins first can end before the others begin. */
static void start_all(int requests)
{
    int go = 0;

    if (rank < n - 1)
        MPI_Recv(&go, 1, MPI_INT, n - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Startall(requests, request);
    for (int other = 0; rank == n - 1 && other < n - 1; other++)
        MPI_Send(&go, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
}

static void end_all(int requests)
{
    int right = 0, errors = 0;

    for (int i = 0; i < requests; i++) {
        int rv = MPI_Wait(&request[i], MPI_STATUS_IGNORE);

        if (rv == MPI_SUCCESS && is_right(i))
            right++;
        else if (rv != MPI_SUCCESS && is_too_many(rv))
            errors++;
        else
            complain("wrong, or another error", i);
    }
    if (right != (requests < MOST ? requests : MOST) || right + errors != requests)
        complain("as many are right", right);
}

static void again(int requests)
{
    for (int i = 0; i < requests; i++) {
        memset(out[i], 0, sizeof out[i]);
        MPI_Start(&request[i]);
        if (MPI_Wait(&request[i], MPI_STATUS_IGNORE) != MPI_SUCCESS || !is_right(i))
            complain("wrong when it is started again", i);
        MPI_Request_free(&request[i]);
    }
}

int main(int argc, char **argv)
{
    int requests;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    gathers = strcmp(argv[1], "allgather") == 0;
    requests = atoi(argv[2]);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int k = 0; k < COUNT; k++)
        in[k] = rank + 1;
    for (int i = 0; i < requests; i++)
        make(i);
    start_all(requests);
    end_all(requests);
    again(requests);
    MPI_Finalize();
    if (problems == 0)
        printf("crowd: rank %d is content\n", rank);
    return problems > 0;
}
