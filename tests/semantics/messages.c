/* messages: point-to-point calls while nobody is dead: values, statuses and errors are native MPI's
 * also with p2p = error. */
#include "output.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20, MANY = 150, LARGE = 70000 };

static int rank, n, left, right, handled;

static void note(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    handled++;
}

/* Leaves @status with nothing in it that the next call could have written. */
static void show(const char *what, int rv, MPI_Status *status, const int *value, int count)
{
    int got;

    MPI_Get_count(status, MPI_INT, &got);
    output_line("%s from %d, tag %d, count %d, handler %d", what, status->MPI_SOURCE,
                status->MPI_TAG, got, handled);
    output_result(what, rv, value, (size_t)count * sizeof *value);
    output_blank(status, 1);
    handled = 0;
}

/* Of a message that was received. What a probe's status tells of a cancellation MPI does not say,
 * and MPICH 4.0 leaves that bit as it was. */
static void show_received(const char *what, int rv, MPI_Status *status, const int *value, int count)
{
    int is;

    MPI_Test_cancelled(status, &is);
    output_line("%s cancelled %d", what, is);
    show(what, rv, status, value, count);
}

static void fill(int *value, int count, int seed)
{
    for (int i = 0; i < count; i++)
        value[i] = 1000 * rank + 7 * i + seed;
}

static void blocking(MPI_Comm comm, int count, int *out, int *in)
{
    MPI_Status status;
    int rv;

    output_blank(&status, 1);
    fill(out, count, count);
    memset(in, 0, (size_t)count * sizeof *in);
    rv = MPI_Sendrecv(out, count, MPI_INT, right, 3, in, count, MPI_INT, left, 3, comm, &status);
    show_received("sendrecv", rv, &status, in, count);
    rv = MPI_Sendrecv_replace(in, count, MPI_INT, right, 4, left, MPI_ANY_TAG, comm, &status);
    show_received("sendrecv_replace", rv, &status, in, count);
    rv = MPI_Sendrecv(out, count, MPI_INT, MPI_PROC_NULL, 3, in, count, MPI_INT, MPI_PROC_NULL, 3,
                      comm, &status);
    show_received("with nobody", rv, &status, in, count);
    if (rank > 0) {
        rv = MPI_Recv(in, count, MPI_INT, MPI_ANY_SOURCE, 5, comm, &status);
        show_received("recv", rv, &status, in, count);
    }
    if (rank < n - 1)
        output_result("ssend", MPI_Ssend(out, count, MPI_INT, rank + 1, 5, comm), NULL, 0);
}

/* Both at once, with a request, whose status MPICH 4.0 does not fill. */
static void pairs(MPI_Comm comm, int *out, int *in, int count)
{
    MPI_Request request[2];
    MPI_Status status[2];
    int rv;

    output_blank(status, 2);
    fill(out, count, count);
    memset(in, 0, (size_t)count * sizeof *in);
    rv = MPI_Isendrecv(out, count, MPI_INT, right, 3, in, count, MPI_INT, left, 3, comm,
                       &request[0]);
    output_result("isendrecv", rv, NULL, 0);
    rv = MPI_Wait(&request[0], status);
    output_result("isendrecv", rv, in, (size_t)count * sizeof *in);
    output_line("request %d", request[0] == MPI_REQUEST_NULL);
    rv = MPI_Isendrecv_replace(in, count, MPI_INT, right, 4, left, MPI_ANY_TAG, comm, &request[0]);
    MPI_Irecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, comm, &request[1]);
    rv |= MPI_Waitall(2, request, status);
    output_result("isendrecv_replace", rv, in, (size_t)count * sizeof *in);
    rv = MPI_Isendrecv_c(out, count, MPI_INT, right, 3, in, count, MPI_INT, MPI_PROC_NULL, 3, comm,
                         &request[0]);
    MPI_Irecv(in, count, MPI_INT, left, 3, comm, &request[1]);
    rv |= MPI_Waitall(2, request, status);
    output_result("isendrecv_c from nobody", rv, in, (size_t)count * sizeof *in);
    rv = MPI_Isendrecv_replace_c(in, -1, MPI_INT, right, 4, left, 4, comm, &request[0]);
    output_result("no such count", rv, NULL, 0);
    rv = MPI_Isendrecv(out, 1, MPI_INT, n + 3, 0, in, 1, MPI_INT, left, 0, comm, &request[0]);
    output_result("no such destination", rv, NULL, 0);
    rv = MPI_Isendrecv(out, 1, MPI_INT, right, 0, in, 1, MPI_DATATYPE_NULL, left, 0, comm,
                       &request[0]);
    output_result("no datatype", rv, NULL, 0);
}

/* Of several at once MPICH 4.0 takes each that has ended for an error. */
static void partitions(MPI_Comm comm, int *out, int *in)
{
    enum { PARTS = 4, EACH = 5 };
    static int last[] = {3};
    MPI_Request request[2];
    MPI_Status status;
    int flag, rv;

    output_blank(&status, 1);
    MPI_Psend_init(out, PARTS, EACH, MPI_INT, right, 9, comm, MPI_INFO_NULL, &request[0]);
    MPI_Precv_init(in, PARTS, EACH, MPI_INT, left, 9, comm, MPI_INFO_NULL, &request[1]);
    for (int round = 0; round < 3; round++) {
        fill(out, PARTS * EACH, round);
        MPI_Startall(2, request);
        MPI_Pready(0, request[0]);
        MPI_Pready_range(1, 2, request[0]);
        MPI_Pready_list(1, last, request[0]);
        for (flag = 0; !flag && round == 1;)
            MPI_Parrived(request[1], PARTS - 1, &flag);
        rv = MPI_Wait(&request[1], &status);
        show_received("precv", rv, &status, in, PARTS * EACH);
        for (flag = 0; !flag;)
            rv = MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE);
        output_result("psend", rv, NULL, 0);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

/* Little and much, in order; when there is no room any more; and what comes back. */
static void buffered(MPI_Comm comm, int *out, int *in)
{
    enum { SOME = 4000, EACH = 3, BYTES = EACH * (SOME * (int)sizeof(int) + MPI_BSEND_OVERHEAD) };
    static char buffer[BYTES];
    char *back = NULL;
    MPI_Request request;
    MPI_Status status;
    int bytes = 0, rv;

    output_blank(&status, 1);
    output_result("without a buffer", MPI_Bsend(out, 1, MPI_INT, right, 11, comm), NULL, 0);
    handled = 0;
    MPI_Buffer_attach(buffer, BYTES);
    for (int i = 0; i < EACH; i++) {
        fill(out, SOME, i);
        rv = i == 1 ? MPI_Ibsend(out, SOME, MPI_INT, right, 11, comm, &request)
                    : MPI_Bsend(out, SOME, MPI_INT, right, 11, comm);
        fill(out, SOME, 1000); /* it is the program's again */
        output_result("bsend", rv, NULL, 0);
        if (i == 1)
            output_result("ibsend", MPI_Wait(&request, MPI_STATUS_IGNORE), NULL, 0);
    }
    for (int i = 0; i < EACH; i++) {
        rv = MPI_Recv(in, SOME, MPI_INT, left, 11, comm, &status);
        show_received("of a bsend", rv, &status, in, SOME);
    }
    output_result("too much", MPI_Bsend(out, EACH * SOME + 1000, MPI_INT, right, 11, comm), NULL,
                  0);
    output_result("a negative count", MPI_Bsend(out, -1, MPI_INT, right, 11, comm), NULL, 0);
    output_result("nobody there", MPI_Bsend(out, 1, MPI_INT, n, 11, comm), NULL, 0);
    rv = MPI_Bsend(out, 1, MPI_INT, MPI_PROC_NULL, 11, comm);
    output_result("to nobody", rv, NULL, 0);
    output_line("handler %d", handled);
    handled = 0;
    rv = MPI_Buffer_detach(&back, &bytes);
    output_result("detach", rv, &bytes, sizeof bytes);
    output_line("the same %d", back == buffer);
}

/* Each way to complete it tells of it, and it stays. */
static void complete(MPI_Request *request, int round)
{
    MPI_Status status;
    int done = 1, index = 0, rv;

    if (round == 0)
        rv = MPI_Waitall(1, request, &status);
    else if (round == 1)
        rv = MPI_Waitany(1, request, &index, &status);
    else
        rv = MPI_Testsome(1, request, &done, &index, &status);
    output_line("sent: %d, %d, %d, %d", rv, done, index, *request == MPI_REQUEST_NULL);
}

/* The same by a request that is kept: what is there when it is started goes. */
static void start_buffered(MPI_Request request[2], int *out, int *in)
{
    MPI_Status status[2];
    int flag, rv;

    output_blank(status, 2);
    for (int i = 0; i < ROUNDS; i++) {
        fill(out, 20, i);
        MPI_Start(&request[1]);
        fill(out, 20, 1000); /* it is the program's again */
        rv = MPI_Start(&request[0]) | MPI_Request_get_status(request[1], &flag, MPI_STATUS_IGNORE);
        output_line("started: %d, %d", rv, flag);
        complete(&request[1], i);
        rv = MPI_Waitall(2, request, status);
        show_received("of a bsend_init", rv, &status[0], in, 20);
    }
    rv = MPI_Startall(2, request) | MPI_Request_free(&request[1]) | MPI_Wait(&request[0], status);
    show_received("of one that is freed", rv, &status[0], in, 20);
}

static void buffered_again(MPI_Comm comm, int *out, int *in)
{
    enum { BYTES = 3 * (20 * (int)sizeof(int) + MPI_BSEND_OVERHEAD) };
    static char buffer[BYTES];
    MPI_Request request[2];
    MPI_Datatype type;
    int bytes = 0, rv;
    char *back;

    MPI_Type_contiguous(10, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Recv_init(in, 20, MPI_INT, left, 12, comm, &request[0]);
    rv = MPI_Bsend_init(out, 2, type, right, 12, comm, &request[1]);
    output_line("bsend_init %d, %d", rv, request[1] == MPI_REQUEST_NULL);
    MPI_Type_free(&type);
    MPI_Buffer_attach(buffer, BYTES);
    start_buffered(request, out, in);
    MPI_Bsend_init(out, 1, MPI_INT, MPI_PROC_NULL, 12, comm, &request[1]);
    MPI_Start(&request[1]);
    output_result("to nobody", MPI_Wait(&request[1], MPI_STATUS_IGNORE), NULL, 0);
    MPI_Request_free(&request[1]);
    MPI_Request_free(&request[0]);
    rv = MPI_Buffer_detach(&back, &bytes);
    output_result("detach", rv, &bytes, sizeof bytes);
}

static void probing(MPI_Comm comm, int *out, int *in)
{
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;
    int flag = 0, rv;

    output_blank(&status, 1);
    fill(out, 10, 5);
    MPI_Isend(out, 10, MPI_INT, right, 6, comm, &request);
    rv = MPI_Probe(MPI_ANY_SOURCE, 6, comm, &status);
    show("probe", rv, &status, in, 0);
    rv = MPI_Mprobe(left, MPI_ANY_TAG, comm, &message, &status);
    show("mprobe", rv, &status, in, 0);
    rv = MPI_Mrecv(in, 10, MPI_INT, &message, &status);
    show_received("mrecv", rv, &status, in, 10);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(out, 3, MPI_INT, right, 7, comm, &request);
    while (!flag)
        MPI_Improbe(left, 7, comm, &flag, &message, &status);
    output_blank(&status, 1);
    rv = MPI_Mrecv(in, 10, MPI_INT, &message, &status);
    show_received("improbe", rv, &status, in, 10);
    rv = MPI_Mprobe(MPI_PROC_NULL, 7, comm, &message, &status);
    show("mprobe of nobody", rv, &status, in, 0);
    rv = MPI_Mrecv(in, 10, MPI_INT, &message, &status);
    show_received("mrecv of nobody", rv, &status, in, 0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Many requests, and one of another kind among them. */
static void nonblocking(MPI_Comm comm, int *out, int *in)
{
    MPI_Request request[2 * MANY + 1];
    MPI_Status status[2 * MANY + 1];
    int rv, flag = 0;

    output_blank(status, 2 * MANY + 1);
    fill(out, MANY, 1);
    for (int i = 0; i < MANY; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, left, i, comm, &request[i]);
    MPI_Ibarrier(comm, &request[MANY]);
    for (int i = 0; i < MANY; i++)
        MPI_Isend(&out[i], 1, MPI_INT, right, i, comm, &request[MANY + 1 + i]);
    rv = MPI_Waitall(2 * MANY + 1, request, status);
    show_received("waitall", rv, &status[MANY - 1], in, MANY);
    for (int i = 0; i < 4; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, left, i, comm, &request[i]);
    for (int i = 0; i < 4; i++)
        MPI_Issend(&out[i], 1, MPI_INT, right, i, comm, &request[4 + i]);
    while (!flag)
        rv = MPI_Testall(8, request, &flag, status);
    show_received("testall", rv, &status[3], in, 4);
    rv = MPI_Waitall(8, request, status);
    output_result("waitall of nothing", rv, request, sizeof request[0] * 8);
}

static void some(MPI_Comm comm, int *out, int *in)
{
    MPI_Request request[5];
    MPI_Status status[5];
    int indices[5], done, index, flag, count = 0, rv = MPI_SUCCESS;

    output_blank(status, 5);
    fill(out, 5, 2);
    for (int i = 0; i < 5; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, left, i, comm, &request[i]);
    for (int i = 0; i < 5; i++)
        MPI_Send(&out[i], 1, MPI_INT, right, i, comm);
    MPI_Waitany(5, request, &index, &status[0]);
    count += index >= 0 && status[0].MPI_TAG == index;
    do
        MPI_Testany(5, request, &index, &flag, &status[0]);
    while (!flag);
    count += index >= 0 && status[0].MPI_TAG == index;
    MPI_Waitsome(5, request, &done, indices, status);
    for (int i = 0; i < done; i++)
        count += status[i].MPI_TAG == indices[i];
    while (count < 5) {
        rv = MPI_Testsome(5, request, &done, indices, status);
        for (int i = 0; i < done; i++)
            count += status[i].MPI_TAG == indices[i];
    }
    output_result("some", rv, in, 5 * sizeof *in);
    rv = MPI_Waitsome(5, request, &done, indices, status);
    output_line("some of nothing: %d, %d", done == MPI_UNDEFINED, rv);
    rv = MPI_Waitany(5, request, &index, &status[0]);
    output_line("any of nothing: %d, %d", index == MPI_UNDEFINED, rv);
}

static void persistent(MPI_Comm comm, int *out, int *in)
{
    MPI_Request request[2];
    MPI_Status status[2];
    int rv, index;

    output_blank(status, 2);
    MPI_Recv_init(in, 20, MPI_INT, left, 1, comm, &request[0]);
    MPI_Send_init(out, 20, MPI_INT, right, 1, comm, &request[1]);
    for (int i = 0; i < ROUNDS; i++) {
        fill(out, 20, i);
        MPI_Startall(2, request);
        rv = MPI_Waitall(2, request, status);
        show_received("persistent", rv, &status[0], in, 20);
        rv = MPI_Waitany(2, request, &index, status);
        output_line("inactive: %d, %d", index == MPI_UNDEFINED, rv);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

static void cancelled(MPI_Comm comm, int *in)
{
    MPI_Request request;
    MPI_Status status;
    int is, rv;

    output_blank(&status, 1);
    MPI_Irecv(in, 1, MPI_INT, left, 99, comm, &request);
    MPI_Cancel(&request);
    rv = MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &is);
    output_line("cancel: %s, %d, %d", output_class(rv), is, request == MPI_REQUEST_NULL);
}

/* With p2p = error a message that is too long comes to the handler of MPI_COMM_WORLD, as it does
 * natively in MPI_Wait of MPICH 4.0, or in 4.2 to that of MPI_COMM_SELF: so all have the same. A
 * message that is too long, alone and among others; and what is no argument. */
static void errors(MPI_Comm comm, int *out, int *in)
{
    MPI_Errhandler handler;
    MPI_Request request[2];
    MPI_Status status[2];
    int rv;

    output_blank(status, 2);
    MPI_Comm_create_errhandler(note, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    fill(out, 9, 3);
    MPI_Isend(out, 9, MPI_INT, right, 1, comm, &request[0]);
    rv = MPI_Recv(in, 2, MPI_INT, left, 1, comm, &status[0]);
    output_line("too long: %s, handler %d", output_class(rv), handled);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
    handled = 0;
    MPI_Irecv(in, 2, MPI_INT, left, 2, comm, &request[0]);
    request[1] = MPI_REQUEST_NULL;
    MPI_Send(out, 9, MPI_INT, right, 2, comm);
    rv = MPI_Waitall(2, request, status);
    output_line("too long among others: %s, %s, %s", output_class(rv),
                output_class(status[0].MPI_ERROR), output_class(status[1].MPI_ERROR));
    handled = 0;
    rv = MPI_Send(out, 1, MPI_INT, n, 0, comm);
    output_line("no such rank: %s, handler %d", output_class(rv), handled);
    rv = MPI_Recv(in, 1, MPI_INT, -7, 0, comm, &status[0]);
    output_line("no such source: %s, handler %d", output_class(rv), handled);
    rv = MPI_Send(out, -1, MPI_INT, right, 0, comm);
    output_line("no such count: %s, handler %d", output_class(rv), handled);
    rv = MPI_Isend(out, 1, MPI_INT, right, -5, comm, &request[0]);
    output_line("no such tag: %s, handler %d", output_class(rv), handled);
    rv = MPI_Sendrecv(out, 1, MPI_INT, n + 3, 0, in, 1, MPI_INT, left, 0, comm, &status[0]);
    output_line("no such destination: %s, handler %d", output_class(rv), handled);
    rv = MPI_Sendrecv_replace(in, 1, MPI_DATATYPE_NULL, right, 0, left, 0, comm, &status[0]);
    output_line("no datatype: %s, handler %d", output_class(rv), handled);
    rv = MPI_Sendrecv_replace(NULL, 1, MPI_INT, right, 0, left, 0, comm, &status[0]);
    output_line("no buffer: %s, handler %d", output_class(rv), handled);
    rv = MPI_Iprobe(n, 0, comm, in, &status[0]);
    output_line("no such peer: %s, handler %d", output_class(rv), handled);
    rv = MPI_Probe(n, 0, comm, &status[0]);
    output_line("no such peer to wait for: %s, handler %d", output_class(rv), handled);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
}

#define REJECTED(call)                                                                             \
    do {                                                                                           \
        int code = call;                                                                           \
                                                                                                   \
        output_line("%s: %s, handler %d", #call, output_class(code), handled);                     \
        handled = 0;                                                                               \
    } while (0)

/* In place of what a call reads or writes; that of MPI_COMM_WORLD or MPI_COMM_SELF is handled. */
static void null_pointers(MPI_Comm comm, int *in)
{
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;
    int flag, index;

    handled = 0;
    REJECTED(MPI_Recv(in, 1, MPI_INT, left, 98, comm, NULL));
    REJECTED(MPI_Sendrecv(in, 1, MPI_INT, right, 98, in + 1, 1, MPI_INT, left, 98, comm, NULL));
    REJECTED(MPI_Sendrecv_replace(in, 1, MPI_INT, right, 98, left, 98, comm, NULL));
    REJECTED(MPI_Probe(left, 98, comm, NULL));
    REJECTED(MPI_Iprobe(left, 98, comm, NULL, &status));
    REJECTED(MPI_Iprobe(left, 98, comm, &flag, NULL));
    REJECTED(MPI_Mprobe(left, 98, comm, NULL, &status));
    REJECTED(MPI_Mprobe(left, 98, comm, &message, NULL));
    REJECTED(MPI_Improbe(left, 98, comm, NULL, &message, &status));
    REJECTED(MPI_Improbe(left, 98, comm, &flag, NULL, &status));
    REJECTED(MPI_Improbe(left, 98, comm, &flag, &message, NULL));
    REJECTED(MPI_Mrecv(in, 1, MPI_INT, NULL, &status));
    REJECTED(MPI_Imrecv(in, 1, MPI_INT, NULL, &request));
    REJECTED(MPI_Irecv(in, 1, MPI_INT, left, 98, comm, NULL));
    REJECTED(MPI_Start(NULL));
    REJECTED(MPI_Startall(1, NULL));
    REJECTED(MPI_Request_free(NULL));
    REJECTED(MPI_Cancel(NULL));
    MPI_Irecv(in, 1, MPI_INT, left, 98, comm, &request);
    REJECTED(MPI_Wait(NULL, &status));
    REJECTED(MPI_Wait(&request, NULL));
    REJECTED(MPI_Test(NULL, &flag, &status));
    REJECTED(MPI_Test(&request, NULL, &status));
    REJECTED(MPI_Test(&request, &flag, NULL));
    REJECTED(MPI_Request_get_status(request, NULL, &status));
    REJECTED(MPI_Request_get_status(request, &flag, NULL));
    REJECTED(MPI_Waitall(1, NULL, &status));
    REJECTED(MPI_Waitall(1, &request, NULL));
    REJECTED(MPI_Testall(1, NULL, &flag, &status));
    REJECTED(MPI_Testall(1, &request, NULL, &status));
    REJECTED(MPI_Testall(1, &request, &flag, NULL));
    REJECTED(MPI_Waitany(1, NULL, &index, &status));
    REJECTED(MPI_Waitany(1, &request, NULL, &status));
    REJECTED(MPI_Waitany(1, &request, &index, NULL));
    REJECTED(MPI_Testany(1, NULL, &index, &flag, &status));
    REJECTED(MPI_Testany(1, &request, NULL, &flag, &status));
    REJECTED(MPI_Testany(1, &request, &index, NULL, &status));
    REJECTED(MPI_Testany(1, &request, &index, &flag, NULL));
    REJECTED(MPI_Waitsome(1, NULL, &flag, &index, &status));
    REJECTED(MPI_Waitsome(1, &request, NULL, &index, &status));
    REJECTED(MPI_Waitsome(1, &request, &flag, NULL, &status));
    REJECTED(MPI_Waitsome(1, &request, &flag, &index, NULL));
    REJECTED(MPI_Testsome(1, NULL, &flag, &index, &status));
    REJECTED(MPI_Testsome(1, &request, NULL, &index, &status));
    REJECTED(MPI_Testsome(1, &request, &flag, NULL, &status));
    REJECTED(MPI_Testsome(1, &request, &flag, &index, NULL));
    cancelled(comm, in);
    MPI_Cancel(&request);
    REJECTED(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* A request lives longer than its communicator's handle; many come and go. */
static void freed(int *out, int *in)
{
    MPI_Request request;
    MPI_Status status;
    MPI_Comm comm;
    int rv = MPI_SUCCESS, sum = 0;

    output_blank(&status, 1);
    for (int i = 0; i < 200; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        out[0] = rank + i;
        MPI_Irecv(in, 1, MPI_INT, left, 0, comm, &request);
        MPI_Send(out, 1, MPI_INT, right, 0, comm);
        MPI_Comm_free(&comm);
        rv = MPI_Wait(&request, &status);
        sum += in[0];
    }
    show_received("freed", rv, &status, &sum, 1);
}

static void gaps(MPI_Comm comm, int *out, int *in)
{
    MPI_Datatype type;
    MPI_Status status;
    int rv;

    output_blank(&status, 1);
    MPI_Type_vector(5, 2, 4, MPI_INT, &type);
    MPI_Type_commit(&type);
    fill(out, 20, 8);
    memset(in, 0, 20 * sizeof *in);
    rv = MPI_Sendrecv(out, 1, type, right, 3, in, 1, type, left, 3, comm, &status);
    show_received("gaps", rv, &status, in, 20);
    rv = MPI_Sendrecv_replace(in, 1, type, right, 3, left, 3, comm, &status);
    show_received("gaps replaced", rv, &status, in, 20);
    MPI_Type_free(&type);
}

/* A datatype of addresses. */
static void from_the_bottom(MPI_Comm comm, int *in)
{
    int lengths[] = {2, 3};
    MPI_Aint places[2];
    MPI_Datatype type;
    MPI_Status status;
    int rv;

    output_blank(&status, 1);
    fill(in, 20, 9);
    MPI_Get_address(&in[7], &places[0]);
    MPI_Get_address(&in[1], &places[1]);
    MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    rv = MPI_Sendrecv_replace(MPI_BOTTOM, 1, type, right, 3, left, 3, comm, &status);
    show_received("replaced from the bottom", rv, &status, in, 20);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    int *out = calloc(LARGE, sizeof *out), *in = calloc(LARGE, sizeof *in), one = 1, sum;
    MPI_Comm other;

    output_init(argc, argv, &rank, &n);
    left = (rank + n - 1) % n;
    right = (rank + 1) % n;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_set_errhandler(other, MPI_ERRORS_RETURN);
    for (int count = 0; count <= LARGE; count = count ? 26 * count : 1)
        blocking(other, count, out, in);
    for (int count = 0; count <= LARGE; count = count ? 26 * count : 1)
        pairs(other, out, in, count);
    blocking(MPI_COMM_WORLD, LARGE, out, in);
    partitions(other, out, in);
    buffered(other, out, in);
    buffered_again(other, out, in);
    probing(other, out, in);
    nonblocking(other, out, in);
    some(other, out, in);
    persistent(other, out, in);
    cancelled(other, in);
    gaps(other, out, in);
    from_the_bottom(other, in);
    freed(out, in);
    errors(other, out, in);
    null_pointers(other, in);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    output_result("sum", MPI_SUCCESS, &sum, sizeof sum);
    MPI_Comm_free(&other);
    output_close();
    MPI_Finalize();
    return 0;
}
