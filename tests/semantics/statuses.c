/* statuses: what each call that has a status leaves of it. Only calls with several statuses write
 * MPI_ERROR, and only if they return MPI_ERR_IN_STATUS (MPI 4.0, section 3.2.5). */
#include "output.h"

#include <string.h>

enum { PATTERN = 0x5a5a5a5a, TAG = 3 };

static int rank, n, left, right, in[4], out[4] = {1, 2, 3, 4};
static MPI_Comm comm;
static MPI_Status status[1];

static MPI_Status *fresh(void)
{
    memset(status, 0x5a, sizeof status);
    return status;
}

static void show(const char *what, int rv)
{
    int got = -1;

    MPI_Get_count(status, MPI_INT, &got);
    output_line("%s: %s, from %d, tag %d, count %d, error %s", what, output_class(rv),
                status->MPI_SOURCE, status->MPI_TAG, got,
                status->MPI_ERROR == PATTERN ? "as it was" : "written");
}

/* MPI_ERROR alone, of statuses whose other fields MPI leaves open. */
static void show_error(const char *what, int rv)
{
    output_line("%s: %s, error %s", what, output_class(rv),
                status->MPI_ERROR == PATTERN ? "as it was" : "written");
}

/* ---- calls that receive by themselves; @from and @to may be MPI_PROC_NULL ---- */

static void blocking(int from, int to)
{
    MPI_Request request;
    int rv, four = 4;

    MPI_Isend(out, 4, MPI_INT, to, TAG, comm, &request);
    rv = MPI_Recv(in, 4, MPI_INT, from, TAG, comm, fresh());
    show("recv", rv);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(out, 4, MPI_INT, to, TAG, comm, &request);
    rv = MPI_Recv_c(in, four, MPI_INT, from, TAG, comm, fresh());
    show("recv_c", rv);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    rv = MPI_Sendrecv(out, 4, MPI_INT, to, TAG, in, 4, MPI_INT, from, TAG, comm, fresh());
    show("sendrecv", rv);
    rv = MPI_Sendrecv_c(out, four, MPI_INT, to, TAG, in, four, MPI_INT, from, TAG, comm, fresh());
    show("sendrecv_c", rv);
    /* MPICH 4.0.2 writes MPI_ERROR in these two. */
    rv = MPI_Sendrecv_replace(in, 4, MPI_INT, to, TAG, from, TAG, comm, fresh());
    status->MPI_ERROR = PATTERN;
    show("sendrecv_replace", rv);
    rv = MPI_Sendrecv_replace_c(in, four, MPI_INT, to, TAG, from, TAG, comm, fresh());
    status->MPI_ERROR = PATTERN;
    show("sendrecv_replace_c", rv);
}

static int probe_until(int from, MPI_Message *message)
{
    int flag = 0, rv = MPI_SUCCESS;

    while (!flag && rv == MPI_SUCCESS)
        rv = message ? MPI_Improbe(from, TAG, comm, &flag, message, fresh())
                     : MPI_Iprobe(from, TAG, comm, &flag, fresh());
    return rv;
}

static void probing(int from, int to)
{
    MPI_Message message;
    MPI_Request request[2];
    int rv;

    for (int i = 0; i < 2; i++)
        MPI_Isend(out, 4, MPI_INT, to, TAG, comm, &request[i]);
    rv = MPI_Probe(from, TAG, comm, fresh());
    show("probe", rv);
    show("iprobe", probe_until(from, NULL));
    rv = MPI_Mprobe(from, TAG, comm, &message, fresh());
    show("mprobe", rv);
    rv = MPI_Mrecv(in, 4, MPI_INT, &message, fresh());
    show("mrecv", rv);
    show("improbe", probe_until(from, &message));
    rv = MPI_Mrecv_c(in, (MPI_Count)4, MPI_INT, &message, fresh());
    show("mrecv_c", rv);
    for (int i = 0; i < 2; i++)
        MPI_Wait(&request[i], MPI_STATUS_IGNORE);
}

/* ---- calls that complete requests ----
 *
 * MPICH 4.0.2 gives what is received from MPI_PROC_NULL the right source and tag here only after
 * an MPI_Sendrecv from there: main() makes these calls before it. */

/* One receive by each call. */
enum completion { WAIT, TEST, GET_STATUS, WAITANY, TESTANY, WAITALL, TESTALL, WAITSOME, TESTSOME };
static const char *const completions[] = {"wait",    "test",    "get_status", "waitany", "testany",
                                          "waitall", "testall", "waitsome",   "testsome"};

static int complete(enum completion by, MPI_Request *request)
{
    int flag = 0, index, rv;

    do {
        fresh();
        flag = 1;
        switch (by) {
        case WAIT:
            rv = MPI_Wait(request, status);
            break;
        case TEST:
            rv = MPI_Test(request, &flag, status);
            break;
        case GET_STATUS:
            rv = MPI_Request_get_status(*request, &flag, status);
            break;
        case WAITANY:
            rv = MPI_Waitany(1, request, &index, status);
            break;
        case TESTANY:
            rv = MPI_Testany(1, request, &index, &flag, status);
            break;
        case WAITALL:
            rv = MPI_Waitall(1, request, status);
            break;
        case TESTALL:
            rv = MPI_Testall(1, request, &flag, status);
            break;
        case WAITSOME:
            rv = MPI_Waitsome(1, request, &flag, &index, status);
            break;
        default:
            rv = MPI_Testsome(1, request, &flag, &index, status);
            break;
        }
    } while (!flag && rv == MPI_SUCCESS);
    if (by >= WAITALL) /* MPICH 4.0.2 writes MPI_ERROR in some of these, without an error too */
        status->MPI_ERROR = PATTERN;
    return rv;
}

static void completing(int from, int to)
{
    MPI_Request receive, send;

    for (enum completion by = WAIT; by <= TESTSOME; by++) {
        MPI_Irecv(in, 4, MPI_INT, from, TAG, comm, &receive);
        MPI_Isend(out, 4, MPI_INT, to, TAG, comm, &send);
        show(completions[by], complete(by, &receive));
        if (receive != MPI_REQUEST_NULL)
            MPI_Wait(&receive, MPI_STATUS_IGNORE);
        show_error(completions[by], complete(by, &send));
        if (send != MPI_REQUEST_NULL)
            MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
}

static void completing_persistent(void)
{
    MPI_Request receive;

    for (enum completion by = WAIT; by <= TESTSOME; by++) {
        MPI_Recv_init(in, 4, MPI_INT, left, TAG, comm, &receive);
        MPI_Start(&receive);
        MPI_Send(out, 4, MPI_INT, right, TAG, comm);
        show(completions[by], complete(by, &receive));
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
        MPI_Request_free(&receive);
    }
}

/* ---- a message that is too long ---- */

static void too_long(void)
{
    MPI_Request request;

    MPI_Irecv(in, 1, MPI_INT, left, TAG, comm, &request);
    MPI_Send(out, 4, MPI_INT, right, TAG, comm);
    show_error("too long", MPI_Wait(&request, fresh()));
}

int main(int argc, char **argv)
{
    int one = 1, sum;

    output_init(argc, argv, &rank, &n);
    left = (rank + n - 1) % n;
    right = (rank + 1) % n;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    completing(MPI_PROC_NULL, MPI_PROC_NULL);
    blocking(left, right);
    blocking(MPI_PROC_NULL, MPI_PROC_NULL);
    probing(left, right);
    probing(MPI_PROC_NULL, MPI_PROC_NULL);
    completing(left, right);
    completing_persistent();
    too_long();
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    output_result("sum", MPI_SUCCESS, &sum, sizeof sum);
    MPI_Comm_free(&comm);
    output_close();
    MPI_Finalize();
    return 0;
}
