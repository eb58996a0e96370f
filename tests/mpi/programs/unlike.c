/* unlike: large broadcasts whose ranks describe the same data by different datatypes.
 *
 *     unlike FORM[:ROOT] COUNT ROUNDS
 *
 * FORM is bcast, ibcast or init (a persistent request, started in each round). The root has COUNT
 * doubles with gaps between them, every other rank has them side by side; with a first letter R it
 * is the other way round. Ranks die by setting crash; with on_dead_root = keep nobody then has
 * anything, or all have everything. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPREAD = 2 };

static int rank, root, count;
static double *data;

static void fail(const char *what, int where)
{
    printf("unlike: rank %d: %s, element %d\n", rank, what, where);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 9);
}

static double value(int round, int i)
{
    return round * 1000.0 + i + 1;
}

static void fill(int round, int step)
{
    for (int i = 0; i < SPREAD * count; i++)
        data[i] = rank == root && i % step == 0 && i / step < count ? value(round, i / step) : -1;
}

static int is_there(int round, int step)
{
    int there = data[0] == value(round, 0);

    for (int i = 0; i < SPREAD * count; i++) {
        int is_gap = i % step != 0 || i / step >= count;

        if (data[i] != (there && !is_gap ? value(round, i / step) : -1))
            fail("a broadcast is wrong", i);
    }
    return there;
}

/* Of those who are alive, whose number falls. */
static void compare(int there)
{
    int mine[2] = {there, 1}, all[2];

    MPI_Allreduce(mine, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (all[0] != (there ? all[1] : 0) && rank != root)
        fail("survivors differ", all[0]);
}

int main(int argc, char **argv)
{
    char *form = strdup(argv[1]), *number = strchr(form, ':');
    int rounds = atoi(argv[3]), is_reversed = *form == 'R', is_spread, step, there = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype type = MPI_DOUBLE;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    root = number ? atoi(number + 1) : 0;
    count = atoi(argv[2]);
    data = malloc(SPREAD * (size_t)count * sizeof *data);
    is_spread = (rank == root) != is_reversed;
    step = is_spread ? SPREAD : 1;
    if (is_spread) {
        MPI_Type_vector(count, 1, SPREAD, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
    }
    if (strstr(form, "init"))
        MPI_Bcast_init(data, is_spread ? 1 : count, type, root, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request);
    for (int round = 0; round < rounds; round++) {
        fill(round, step);
        if (strstr(form, "init"))
            MPI_Start(&request);
        else if (strstr(form, "ibcast"))
            MPI_Ibcast(data, is_spread ? 1 : count, type, root, MPI_COMM_WORLD, &request);
        else
            MPI_Bcast(data, is_spread ? 1 : count, type, root, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        there = is_there(round, step);
        compare(there);
    }
    printf("unlike: rank %d is through, the last data are %s\n", rank,
           there ? "there" : "not there");
    if (request != MPI_REQUEST_NULL)
        MPI_Request_free(&request);
    if (is_spread)
        MPI_Type_free(&type);
    free(form);
    free(data);
    MPI_Finalize();
    return 0;
}
