/* huge: what cannot be packed is an error on all ranks, before any data move. No memory is touched.
 *
 *     huge CALL
 *
 * CALL is bcast (rank 0 has all of it as one element of 2 GiB, which no call into MPI packs; the
 * others have doubles) or rbcast (the other way round), pieces (one of 2 GiB for each rank), root
 * (what the root of a gather has for itself), or parcel (of a datatype that the library packs
 * before the operation, less than 2 GiB each and more together, at rank 0 alone). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { RANKS_MAX = 8, DOUBLES = 1 << 28, MIB = 1 << 20 };

static void *untouched(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 9);
    return memory;
}

static MPI_Datatype made(int count, MPI_Datatype of)
{
    MPI_Datatype type;

    MPI_Type_contiguous(count, of, &type);
    MPI_Type_commit(&type);
    return type;
}

static int broadcast(int is_one_element)
{
    void *data = untouched((size_t)DOUBLES * sizeof(double));

    if (is_one_element)
        return MPI_Bcast(data, 1, made(DOUBLES, MPI_DOUBLE), 0, MPI_COMM_WORLD);
    return MPI_Bcast(data, DOUBLES, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static int alltoall(int n, int count, MPI_Datatype type, size_t bytes)
{
    int counts[RANKS_MAX], places[RANKS_MAX] = {0}, rv;
    MPI_Request request;

    for (int i = 0; i < n; i++)
        counts[i] = count;
    rv = MPI_Ialltoallv(untouched(bytes), counts, places, type, untouched(bytes), counts, places,
                        type, MPI_COMM_WORLD, &request);
    return rv == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : rv;
}

static int gather(int rank, int n)
{
    int counts[RANKS_MAX], places[RANKS_MAX], rv;
    MPI_Request request;

    for (int i = 0; i < n; i++) {
        counts[i] = i == 0 ? DOUBLES : 1000;
        places[i] = i == 0 ? 0 : DOUBLES + 1000 * i;
    }
    rv = MPI_Igatherv(untouched((size_t)counts[rank] * sizeof(double)), counts[rank], MPI_DOUBLE,
                      untouched((size_t)(DOUBLES + 1000 * n) * sizeof(double)), counts, places,
                      MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
    return rv == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : rv;
}

int main(int argc, char **argv)
{
    char text[MPI_MAX_ERROR_STRING] = "nothing";
    int rank, n, rv, length;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (strcmp(argv[1], "pieces") == 0)
        rv = alltoall(n, DOUBLES, MPI_DOUBLE, (size_t)DOUBLES * sizeof(double));
    else if (strcmp(argv[1], "root") == 0)
        rv = gather(rank, n);
    else if (strcmp(argv[1], "parcel") == 0)
        rv = alltoall(n, rank == 0 ? 1536 : 1, made(MIB, MPI_BYTE), (size_t)1536 * MIB);
    else
        rv = broadcast((rank == 0) != (*argv[1] == 'r'));
    if (rv != MPI_SUCCESS)
        MPI_Error_string(rv, text, &length);
    MPI_Error_class(rv, &rv);
    printf("huge: rank %d: %s: %s\n", rank,
           rv == MPI_ERR_NO_MEM  ? "MPI_ERR_NO_MEM"
           : rv == MPI_ERR_COUNT ? "MPI_ERR_COUNT"
                                 : "another class",
           text);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
