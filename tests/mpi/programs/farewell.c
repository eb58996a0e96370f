/* farewell: what MPI-4.0, section 11.4.1, promises of MPI_Finalize: first of all the attributes of
 * MPI_COMM_SELF are deleted, the last one first, and MPI can still be used meanwhile. Libraries end
 * there. MPICH then deletes those of MPI_COMM_WORLD. With an argument the last rank dies before. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>

static char order[5];
static int deleted, problems, n;

static int on_deletion(MPI_Comm comm, int keyval, void *value, void *extra)
{
    int flag = 1, size = 0;

    (void)keyval;
    (void)extra;
    MPI_Finalized(&flag);
    MPI_Comm_size(comm, &size);
    problems += flag || size != (deleted < 2 ? 1 : n);
    order[deleted++] = *(const char *)value;
    return MPI_SUCCESS;
}

static void attach(MPI_Comm comm, const char *value)
{
    int keyval;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_deletion, &keyval, NULL);
    MPI_Comm_set_attr(comm, keyval, (void *)(long)value);
}

int main(int argc, char **argv)
{
    int rank, one = 1, sum = 0, flag = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    attach(MPI_COMM_SELF, "a");
    attach(MPI_COMM_WORLD, "c");
    attach(MPI_COMM_SELF, "b");
    attach(MPI_COMM_WORLD, "d");
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (argc > 1 && rank == n - 1)
        raise(SIGKILL);
    MPI_Finalize();
    MPI_Finalized(&flag);
    printf("farewell: rank %d: %s, %s\n", rank, order,
           flag && problems == 0 && sum == n ? "well" : "wrong");
    return 0;
}
