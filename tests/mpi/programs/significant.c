/* significant WHAT: calls in which not all ranks give the same, or need not.
 *
 *     significant gatherv    ranks beside the root give counts, displacements and a datatype that
 *                            MPI does not read there
 *     significant packed     nonblocking broadcasts, whose data only the receivers pack, are waited
 *                            for when later ones are over
 *     significant hint       a file is opened without hints, and with that to write by data sieving
 *     significant waitall    rank 0 waits for messages of rank 2, which dies, and of rank 1, which
 *                            sends late
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALLS = 6, COUNT = 600, RANKS_MAX = 8, LATE_S = 3 };

static int rank, size;

static void gatherv(void)
{
    int own = rank, all[RANKS_MAX], counts[RANKS_MAX], places[RANKS_MAX];
    const int *wild = (const int *)8;
    MPI_Request request;

    for (int i = 0; i < size; i++) {
        counts[i] = 1;
        places[i] = i;
    }
    MPI_Gatherv(&own, 1, MPI_INT, rank == 0 ? all : NULL, rank == 0 ? counts : wild,
                rank == 0 ? places : wild, rank == 0 ? MPI_INT : MPI_DATATYPE_NULL, 0,
                MPI_COMM_WORLD);
    MPI_Igatherv(&own, 1, MPI_INT, rank == 0 ? all : NULL, rank == 0 ? counts : wild,
                 rank == 0 ? places : wild, rank == 0 ? MPI_INT : MPI_DATATYPE_NULL, 0,
                 MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; rank == 0 && i < size; i++)
        if (all[i] != i)
            exit(3);
}

static void packed(void)
{
    static int value[CALLS][2 * COUNT];
    MPI_Request request[CALLS];
    MPI_Status status[CALLS];
    MPI_Datatype apart;

    MPI_Type_vector(COUNT, 1, 2, MPI_INT, &apart);
    MPI_Type_commit(&apart);
    for (int i = 0; i < CALLS; i++) {
        for (int k = 0; k < 2 * COUNT; k++)
            value[i][k] = rank == 0 ? 1000 * (i + 1) : 0;
        MPI_Ibcast(value[i], rank == 0 ? COUNT : 1, rank == 0 ? MPI_INT : apart, 0, MPI_COMM_WORLD,
                   &request[i]);
    }
    usleep(300000); /* the library's thread carries them out meanwhile, or the wait does */
    MPI_Waitall(CALLS, request, status);
    for (int i = 0; i < CALLS; i++)
        for (int k = 0; k < COUNT; k++)
            if (value[i][rank == 0 ? k : 2 * k] != 1000 * (i + 1)) {
                printf("significant: broadcast %d: %d\n", i, value[i][2 * k]);
                exit(3);
            }
    MPI_Type_free(&apart);
}

static void compute(void)
{
    for (double end = MPI_Wtime() + LATE_S; MPI_Wtime() < end;)
        ;
}

static void waitall(void)
{
    int value[2] = {-1, -1}, sent = 7;
    MPI_Request request[2];
    MPI_Status status[2];

    if (rank == 2) {
        MPI_Recv(&sent, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        raise(SIGKILL);
    } else if (rank == 1) {
        compute();
        MPI_Send(&sent, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(&value[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(&value[1], 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &request[1]);
        MPI_Send(&sent, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
        MPI_Waitall(2, request, status);
        printf("significant: %d, %d\n", value[0], value[1]);
    }
}

static void print_hint(MPI_Info given)
{
    char value[MPI_MAX_INFO_VAL + 1] = "none";
    MPI_Info info;
    MPI_File file;
    int is_set;

    MPI_File_open(MPI_COMM_WORLD, "hints", MPI_MODE_CREATE | MPI_MODE_RDWR, given, &file);
    MPI_File_get_info(file, &info);
    MPI_Info_get(info, "romio_ds_write", MPI_MAX_INFO_VAL, value, &is_set);
    if (rank == 0)
        printf("significant: data sieving: %s\n", value);
    MPI_Info_free(&info);
    MPI_File_close(&file);
}

static void hint(void)
{
    MPI_Info given;

    print_hint(MPI_INFO_NULL);
    MPI_Info_create(&given);
    MPI_Info_set(given, "romio_ds_write", "enable");
    print_hint(given);
    MPI_Info_free(&given);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1 && strcmp(argv[1], "gatherv") == 0)
        gatherv();
    else if (argc > 1 && strcmp(argv[1], "packed") == 0)
        packed();
    else if (argc > 1 && strcmp(argv[1], "hint") == 0)
        hint();
    else
        waitall();
    MPI_Finalize();
    return 0;
}
