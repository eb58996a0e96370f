/* rejected: calls with wrong arguments, whose error handler is the program's own and returns. What
 * they were to make is no handle before and after; each is over after one call of the handler, also
 * where native MPI then returns MPI_SUCCESS (MPICH 5.0.2). */
#include "output.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { NONE = 0x5a, MANY_CALLS = 100 };

#define NO_GROUP  ((MPI_Group)0x5a5a5a5a)
#define NO_WINDOW ((MPI_Win)0x5a5a5a5a)
#define NO_COMM   ((MPI_Comm)0x5a5a5a5a)

static MPI_Comm all = MPI_COMM_WORLD, comm;
static MPI_Request request[2];
static MPI_Message message;
static MPI_Win window;
static int handled, memory[8], *const in = memory + 4;
static MPI_Status status[2];

/* Whoever goes on after an error calls it for ever. */
static void note(MPI_Comm *where, int *code, ...)
{
    (void)where, (void)code;
    if (++handled > MANY_CALLS)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void note_of_window(MPI_Win *where, int *code, ...)
{
    (void)where, (void)code;
    handled++;
}

static void note_of_file(MPI_File *where, int *code, ...)
{
    (void)where, (void)code;
    handled++;
}

#define REJECTED(call)                                                                             \
    do {                                                                                           \
        int code;                                                                                  \
                                                                                                   \
        handled = 0;                                                                               \
        memset(&comm, NONE, sizeof comm);                                                          \
        memset(request, NONE, sizeof request);                                                     \
        memset(&message, NONE, sizeof message);                                                    \
        memset(&window, NONE, sizeof window);                                                      \
        code = call;                                                                               \
        output_line("%s: %s, handler %d", #call, output_class(code), handled);                     \
    } while (0)

static void communicators(void)
{
    int ranks[2] = {100, 100}, zeros[2] = {0, 0};
    MPI_Group world;

    MPI_Comm_group(MPI_COMM_WORLD, &world);

    REJECTED(MPI_Comm_dup(MPI_COMM_NULL, &comm));
    REJECTED(MPI_Comm_dup(all, NULL));
    REJECTED(MPI_Comm_dup_with_info(MPI_COMM_NULL, MPI_INFO_NULL, &comm));
    REJECTED(MPI_Comm_idup(MPI_COMM_NULL, &comm, request));
    REJECTED(MPI_Comm_idup(all, NULL, request));
    REJECTED(MPI_Comm_idup(all, &comm, NULL));
    REJECTED(MPI_Comm_split(all, -5, 0, &comm));
    REJECTED(MPI_Comm_split(all, 0, 0, NULL));
    REJECTED(MPI_Comm_create(all, MPI_GROUP_NULL, &comm));
    REJECTED(MPI_Comm_create(all, NO_GROUP, &comm));
    REJECTED(MPI_Comm_create(NO_COMM, MPI_GROUP_EMPTY, &comm));
    REJECTED(MPI_Comm_create_group(all, MPI_GROUP_NULL, 0, &comm));
    REJECTED(MPI_Comm_create_group(all, NO_GROUP, 0, &comm));
    REJECTED(MPI_Comm_create_group(all, (MPI_Group)MPI_COMM_WORLD, 0, &comm));
    REJECTED(MPI_Comm_create_group(NO_COMM, MPI_GROUP_EMPTY, 0, &comm));
    REJECTED(MPI_Comm_create_group(all, MPI_GROUP_EMPTY, -1, &comm));
    REJECTED(
        MPI_Comm_create_from_group(MPI_GROUP_NULL, "a", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    REJECTED(MPI_Comm_create_from_group(world, NULL, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    REJECTED(MPI_Comm_create_from_group(world, "a", MPI_INFO_NULL, MPI_ERRHANDLER_NULL, &comm));
    REJECTED(MPI_Comm_create_from_group(world, "a", MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL));
    REJECTED(MPI_Comm_split_type(all, 12345, 0, MPI_INFO_NULL, &comm));
    REJECTED(MPI_Intercomm_merge(MPI_COMM_NULL, 0, &comm));
    REJECTED(MPI_Cart_create(all, 2, ranks, zeros, 0, &comm));
    REJECTED(MPI_Cart_create(all, -2, ranks, zeros, 0, &comm));
    REJECTED(MPI_Graph_create(all, -1, ranks, zeros, 0, &comm));
    REJECTED(MPI_Cart_sub(all, zeros, &comm));
    REJECTED(MPI_Dist_graph_create_adjacent(all, -1, zeros, zeros, 1, zeros, zeros, MPI_INFO_NULL,
                                            0, &comm));
    REJECTED(MPI_Comm_free(NULL));
    MPI_Group_free(&world);
    REJECTED(MPI_Win_create(NULL, -1, 1, MPI_INFO_NULL, all, &window));
    REJECTED(MPI_Win_create(memory, 4, 0, MPI_INFO_NULL, all, &window));
    REJECTED(MPI_Win_create(memory, 4, 1, MPI_INFO_NULL, MPI_COMM_NULL, &window));
    REJECTED(MPI_Win_allocate(-1, 1, MPI_INFO_NULL, all, memory, &window));
}

static void windows(void)
{
    MPI_Win win, none = NO_WINDOW;
    MPI_Errhandler handler;
    int flag;

    REJECTED(MPI_Win_free(&none));
    REJECTED(MPI_Win_fence(0, NO_WINDOW));
    REJECTED(MPI_Win_fence(0, MPI_WIN_NULL));
    REJECTED(MPI_Win_complete(NO_WINDOW));
    REJECTED(MPI_Win_wait(NO_WINDOW));
    REJECTED(MPI_Win_test(NO_WINDOW, &flag));
    REJECTED(MPI_Win_test(MPI_WIN_NULL, &flag));
    REJECTED(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, NO_WINDOW));
    REJECTED(MPI_Win_unlock(0, NO_WINDOW));
    REJECTED(MPI_Win_flush(0, NO_WINDOW));
    MPI_Win_create_errhandler(note_of_window, &handler);
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, all, &win);
    MPI_Win_set_errhandler(win, handler);
    MPI_Errhandler_free(&handler);
    REJECTED(MPI_Win_start(NO_GROUP, 0, win));
    REJECTED(MPI_Win_start(MPI_GROUP_NULL, 0, win));
    REJECTED(MPI_Win_test(win, &flag));
    REJECTED(MPI_Win_test(win, NULL));
    MPI_Win_free(&win);
}

/* Not with this kind of file, which has no position either. */
static void files(const char *directory)
{
    char name[4096];
    MPI_File file;
    MPI_Errhandler handler;

    snprintf(name, sizeof name, "%s.sequential", directory);
    MPI_File_open(all, name,
                  MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL |
                      MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_create_errhandler(note_of_file, &handler);
    MPI_File_set_errhandler(file, handler);
    MPI_Errhandler_free(&handler);
    REJECTED(MPI_File_write_all(file, memory, 1, MPI_INT, status));
    REJECTED(MPI_File_read_all(file, memory, 1, MPI_INT, status));
    REJECTED(MPI_File_write_at_all(file, 0, memory, 1, MPI_INT, status));
    MPI_File_close(&file);
}

static void messages(void)
{
    int flag;

    REJECTED(MPI_Irecv(in, 1, MPI_INT, -9, 0, all, request));
    REJECTED(MPI_Irecv(in, 1, MPI_INT, 0, 0, all, NULL));
    REJECTED(MPI_Isend(memory, 1, MPI_INT, -9, 0, all, request));
    REJECTED(MPI_Isend(memory, 1, MPI_INT, 0, 0, all, NULL));
    REJECTED(MPI_Send_init(memory, 1, MPI_INT, -9, 0, all, request));
    REJECTED(MPI_Recv_init(in, 1, MPI_INT, -9, 0, all, request));
    REJECTED(MPI_Probe(-9, 0, all, status));
    REJECTED(MPI_Mprobe(-9, 0, all, &message, status));
    REJECTED(MPI_Iprobe(-9, 0, all, &flag, status));
    REJECTED(MPI_Improbe(-9, 0, all, &flag, &message, status));
    REJECTED(MPI_Send(memory, 1, MPI_INT, -9, 0, all));
    REJECTED(MPI_Recv(in, 1, MPI_INT, -9, 0, all, status));
    REJECTED(MPI_Mrecv(in, 1, MPI_INT, &message, status));
    REJECTED(MPI_Sendrecv(memory, 1, MPI_INT, -9, 0, in, 1, MPI_INT, 0, 0, all, status));
    REJECTED(
        MPI_Sendrecv(memory, 1, MPI_INT, MPI_PROC_NULL, 0, in, 1, MPI_INT, -9, 0, all, status));
    REJECTED(MPI_Sendrecv_replace(memory, 1, MPI_INT, -9, 0, 0, 0, all, status));
}

/* Where there is no room for it, and while it is active. */
static void started_twice(int rank, int bytes)
{
    static const char much[1000];
    MPI_Request more, again;

    MPI_Bsend_init(much, sizeof much, MPI_CHAR, rank, 5, all, &more);
    REJECTED(MPI_Start(&more));
    MPI_Bsend_init(memory, 1, MPI_INT, rank, 5, all, &again);
    if (bytes > 0) {
        MPI_Start(&again);
        REJECTED(MPI_Start(&again));
        REJECTED(MPI_Startall(1, &again));
        MPI_Wait(&again, MPI_STATUS_IGNORE);
        MPI_Recv(in, 1, MPI_INT, rank, 5, all, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&again);
    MPI_Request_free(&more);
}

/* Also without a buffer, and where there is no room for one more. */
static void buffered(int rank, int bytes)
{
    static char buffer[4 + MPI_BSEND_OVERHEAD], much[1000];
    char *back;

    if (bytes > 0)
        MPI_Buffer_attach(buffer, bytes);
    REJECTED(MPI_Bsend(memory, 1, MPI_INT, -9, 0, all));
    REJECTED(MPI_Bsend(memory, 1, MPI_INT, 99, 0, all));
    REJECTED(MPI_Bsend(memory, 1, MPI_INT, 99, 0, MPI_COMM_SELF));
    REJECTED(MPI_Bsend(memory, 1, MPI_INT, rank, -5, all));
    REJECTED(MPI_Bsend(memory, 1, MPI_INT, rank, INT_MAX, all));
    REJECTED(MPI_Bsend(memory, -1, MPI_INT, rank, 0, all));
    REJECTED(MPI_Bsend(NULL, 1, MPI_INT, rank, 0, all));
    REJECTED(MPI_Bsend(memory, 1, MPI_DATATYPE_NULL, rank, 0, all));
    REJECTED(MPI_Bsend(memory, 1, MPI_INT, rank, 0, MPI_COMM_NULL));
    REJECTED(MPI_Bsend(memory, 1, MPI_INT, rank, 0, NO_COMM));
    REJECTED(MPI_Bsend(much, sizeof much, MPI_CHAR, rank, 0, all));
    REJECTED(MPI_Bsend_c(memory, 1, MPI_INT, 99, 0, all));
    REJECTED(MPI_Ibsend(memory, 1, MPI_INT, 99, 0, all, request));
    REJECTED(MPI_Bsend_init(memory, 1, MPI_INT, 99, 0, all, request));
    REJECTED(MPI_Bsend_init(memory, 1, MPI_INT, rank, -5, all, request));
    REJECTED(MPI_Bsend_init(memory, -1, MPI_INT, rank, 0, all, request));
    REJECTED(MPI_Bsend_init(memory, 1, MPI_INT, rank, 0, all, NULL));
    REJECTED(MPI_Bsend_init_c(NULL, 1, MPI_INT, rank, 0, all, request));
    started_twice(rank, bytes);
    REJECTED(MPI_Ibsend(much, sizeof much, MPI_CHAR, rank, 0, all, request));
    if (bytes > 0)
        MPI_Buffer_detach(&back, &bytes);
}

/* What is wrong with the half that sends is found before a message is received. */
static void kept(int rank)
{
    const int there = 7;
    int flag, value = rank;
    MPI_Request sent;

    MPI_Isend(memory, 1, MPI_INT, rank, there, all, &sent);
    MPI_Probe(rank, there, all, status);
    REJECTED(MPI_Sendrecv(memory, 1, MPI_INT, -9, 0, in, 1, MPI_INT, rank, there, all, status));
    REJECTED(MPI_Sendrecv(memory, 1, MPI_INT, 99, 0, in, 1, MPI_INT, rank, there, all, status));
    REJECTED(MPI_Sendrecv(memory, 1, MPI_INT, 0, -5, in, 1, MPI_INT, rank, there, all, status));
    REJECTED(MPI_Sendrecv(memory, -1, MPI_INT, 0, 0, in, 1, MPI_INT, rank, there, all, status));
    REJECTED(MPI_Sendrecv(NULL, 1, MPI_INT, 0, 0, in, 1, MPI_INT, rank, there, all, status));
    REJECTED(MPI_Sendrecv_replace(&value, 1, MPI_INT, -9, 0, rank, there, all, status));
    REJECTED(MPI_Sendrecv_replace(&value, 1, MPI_INT, 0, -5, rank, there, all, status));
    MPI_Iprobe(rank, there, all, &flag, status);
    output_line("the message is still there: %d, value %d", flag, value == rank);
    if (flag)
        MPI_Recv(in, 1, MPI_INT, rank, there, all, status);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

static void requests(void)
{
    int flag, index, indices[2];

    REJECTED(MPI_Wait(request, status));
    REJECTED(MPI_Test(request, &flag, status));
    REJECTED(MPI_Waitall(2, request, status));
    REJECTED(MPI_Waitall(-1, request, status));
    REJECTED(MPI_Waitany(2, request, &index, status));
    REJECTED(MPI_Waitany(-1, request, &index, status));
    REJECTED(MPI_Waitsome(2, request, &index, indices, status));
    REJECTED(MPI_Waitsome(-1, request, &index, indices, status));
    REJECTED(MPI_Testall(2, request, &flag, status));
    REJECTED(MPI_Testany(2, request, &index, &flag, status));
    REJECTED(MPI_Testsome(2, request, &index, indices, status));
    REJECTED(MPI_Start(request));
    REJECTED(MPI_Startall(2, request));
    REJECTED(MPI_Startall(-2, request));
    REJECTED(MPI_Request_free(request));
    REJECTED(MPI_Cancel(request));
    REJECTED(MPI_Request_get_status(request[0], &flag, status));
}

static void collectives(void)
{
    REJECTED(MPI_Allreduce(memory, in, 1, MPI_INT, MPI_OP_NULL, all));
    REJECTED(MPI_Allreduce(memory, in, 1, MPI_INT, MPI_SUM, MPI_COMM_NULL));
    REJECTED(MPI_Allreduce_init(memory, in, 1, MPI_INT, MPI_OP_NULL, all, MPI_INFO_NULL, request));
    REJECTED(MPI_Bcast(memory, 1, MPI_INT, 99, all));
    REJECTED(MPI_Ibcast(memory, 1, MPI_INT, 99, all, request));
    REJECTED(MPI_Ibarrier(MPI_COMM_NULL, request));
    REJECTED(MPI_Ibarrier(all, NULL));
    REJECTED(MPI_Gather(memory, 1, MPI_INT, in, 1, MPI_INT, 99, all));
    REJECTED(MPI_Reduce(memory, in, 1, MPI_INT, MPI_SUM, 99, all));
    REJECTED(MPI_Neighbor_allgather(memory, 1, MPI_INT, in, 1, MPI_INT, all));
}

int main(int argc, char **argv)
{
    int rank, n, one = 1, sum = 0, rv;
    MPI_Errhandler handler;

    output_init(argc, argv, &rank, &n);
    MPI_Comm_create_errhandler(note, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    communicators();
    windows();
    files(argv[1]);
    messages();
    buffered(rank, 0);
    buffered(rank, 4 + MPI_BSEND_OVERHEAD);
    kept(rank);
    requests();
    collectives();
    REJECTED(MPI_Comm_set_errhandler(MPI_COMM_NULL, handler));
    MPI_Errhandler_free(&handler);
    rv = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
    output_result("all are there", rv, &sum, sizeof sum);
    output_close();
    MPI_Finalize();
    return 0;
}
