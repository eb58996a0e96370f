/* drained: rank 1 sends to rank 0, or closes its access to rank 0's window, before all meet in a
 * collective call. After that one look of rank 0 has to find it: natively the collective call has
 * taken in what came before it. Each kind of look has its rounds.
 *
 *     drained ROUNDS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { PEER = 1, MESSAGES = 10 };

static int rank, value[MESSAGES];
static MPI_Request request[MESSAGES];
static MPI_Status status[MESSAGES];
static MPI_Group other;
static MPI_Win win;

static void meet(void)
{
    int one = 1, sum;

    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void send(void)
{
    for (int i = 0; i < MESSAGES; i++)
        MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
}

static void receive(void)
{
    for (int i = 0; i < MESSAGES; i++)
        MPI_Irecv(&value[i], 1, MPI_INT, PEER, i, MPI_COMM_WORLD, &request[i]);
}

static int iprobe(void)
{
    int found;

    MPI_Iprobe(PEER, MESSAGES - 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    receive();
    MPI_Waitall(MESSAGES, request, status);
    return found;
}

static int improbe(void)
{
    MPI_Message message;
    int found;

    MPI_Improbe(PEER, 0, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
    if (found)
        MPI_Mrecv(&value[0], 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    for (int i = found ? 1 : 0; i < MESSAGES; i++)
        MPI_Recv(&value[i], 1, MPI_INT, PEER, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return found;
}

static int test(void)
{
    int found;

    MPI_Test(&request[MESSAGES - 1], &found, MPI_STATUS_IGNORE);
    MPI_Waitall(MESSAGES, request, status);
    return found;
}

static int testall(void)
{
    int found;

    MPI_Testall(MESSAGES, request, &found, status);
    MPI_Waitall(MESSAGES, request, status);
    return found;
}

static int testsome(void)
{
    int found, indices[MESSAGES];

    MPI_Testsome(MESSAGES, request, &found, indices, status);
    MPI_Waitall(MESSAGES, request, status);
    return found == MESSAGES;
}

static int get_status(void)
{
    int found;

    MPI_Request_get_status(request[MESSAGES - 1], &found, MPI_STATUS_IGNORE);
    MPI_Waitall(MESSAGES, request, status);
    return found;
}

static void close_access(void)
{
    MPI_Win_start(other, 0, win);
    MPI_Win_complete(win);
}

static void post(void)
{
    MPI_Win_post(other, 0, win);
}

static int win_test(void)
{
    int found;

    MPI_Win_test(win, &found);
    if (!found)
        MPI_Win_wait(win);
    return found;
}

static void nothing(void)
{
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*before)(void), (*does)(void);
        int (*look)(void);
    } all[] = {{"MPI_Iprobe", nothing, send, iprobe},
               {"MPI_Improbe", nothing, send, improbe},
               {"MPI_Test", receive, send, test},
               {"MPI_Testall", receive, send, testall},
               {"MPI_Testsome", receive, send, testsome},
               {"MPI_Request_get_status", receive, send, get_status},
               {"MPI_Win_test", post, close_access, win_test}};
    int rounds = argc > 1 ? atoi(argv[1]) : 0, memory = 0, peer;
    MPI_Group world;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &other);
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int in_vain = 0;

        for (int round = 0; round < rounds; round++) {
            if (rank == 0)
                all[i].before();
            meet();
            if (rank == PEER)
                all[i].does();
            meet();
            if (rank == 0)
                in_vain += !all[i].look();
        }
        if (rank == 0)
            printf("drained: %s: %d in vain\n", all[i].name, in_vain);
    }
    MPI_Group_free(&other);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
