#include "p2p_calls.h"

#include <stdlib.h>
#include <string.h>

static char large[LARGE];
static const int sent = VALUE;

static int one = 1;

/* ---- blocking ---- */

static void send_small(MPI_Comm comm, int peer, struct outcome *o)
{
    o->code = MPI_Send(&sent, 1, MPI_INT, peer, TAG, comm);
}

static void send_large(MPI_Comm comm, int peer, struct outcome *o)
{
    o->code = MPI_Send(large, LARGE, MPI_CHAR, peer, TAG, comm);
}

static void send_c(MPI_Comm comm, int peer, struct outcome *o)
{
    o->code = MPI_Send_c(large, LARGE, MPI_CHAR, peer, TAG, comm);
}

static void ssend(MPI_Comm comm, int peer, struct outcome *o)
{
    o->code = MPI_Ssend(&sent, 1, MPI_INT, peer, TAG, comm);
}

static void rsend(MPI_Comm comm, int peer, struct outcome *o)
{
    o->code = MPI_Rsend(&sent, 1, MPI_INT, peer, TAG, comm);
}

static void bsend(MPI_Comm comm, int peer, struct outcome *o)
{
    o->code = MPI_Bsend(&sent, 1, MPI_INT, peer, TAG, comm);
}

static void recv(MPI_Comm comm, int peer, struct outcome *o)
{
    o->code = MPI_Recv(&o->value, 1, MPI_INT, peer, TAG, comm, &o->status);
}

static void recv_c(MPI_Comm comm, int peer, struct outcome *o)
{
    o->code = MPI_Recv_c(&o->value, 1, MPI_INT, peer, TAG, comm, &o->status);
}

static void sendrecv(MPI_Comm comm, int peer, struct outcome *o)
{
    o->code = MPI_Sendrecv(&sent, 1, MPI_INT, peer, TAG, &o->value, 1, MPI_INT, peer, TAG, comm,
                           &o->status);
}

static void sendrecv_replace(MPI_Comm comm, int peer, struct outcome *o)
{
    o->code = MPI_Sendrecv_replace(&o->value, 1, MPI_INT, peer, TAG, peer, TAG, comm, &o->status);
}

static void sendrecv_replace_c(MPI_Comm comm, int peer, struct outcome *o)
{
    o->code = MPI_Sendrecv_replace_c(&o->value, 1, MPI_INT, peer, TAG, peer, TAG, comm, &o->status);
}

static void probe(MPI_Comm comm, int peer, struct outcome *o)
{
    o->code = MPI_Probe(peer, TAG, comm, &o->status);
    if (o->code == MPI_SUCCESS && o->status.MPI_SOURCE == peer)
        recv(comm, peer, o);
}

static void iprobe(MPI_Comm comm, int peer, struct outcome *o)
{
    int flag = 0;

    while (!flag && o->code == MPI_SUCCESS)
        o->code = MPI_Iprobe(peer, TAG, comm, &flag, &o->status);
    if (flag && o->status.MPI_SOURCE == peer)
        recv(comm, peer, o);
}

static void receive_message(MPI_Message *message, struct outcome *o)
{
    bool none = *message == MPI_MESSAGE_NO_PROC;

    if (none != (o->status.MPI_SOURCE == MPI_PROC_NULL))
        o->code = MPI_ERR_OTHER;
    else
        o->code = MPI_Mrecv(&o->value, 1, MPI_INT, message, &o->status);
}

static void mprobe(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Message message = MPI_MESSAGE_NULL;

    o->code = MPI_Mprobe(peer, TAG, comm, &message, &o->status);
    if (o->code == MPI_SUCCESS)
        receive_message(&message, o);
}

static void improbe(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Message message = MPI_MESSAGE_NULL;
    int flag = 0;

    while (!flag && o->code == MPI_SUCCESS)
        o->code = MPI_Improbe(peer, TAG, comm, &flag, &message, &o->status);
    if (flag)
        receive_message(&message, o);
}

/* ---- requests ---- */

static void wait_for(MPI_Request *request, struct outcome *o)
{
    if (o->code == MPI_SUCCESS)
        o->code = MPI_Wait(request, &o->status);
    o->request_gone = *request == MPI_REQUEST_NULL;
}

static void isend(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request;

    o->code = MPI_Isend(large, LARGE, MPI_CHAR, peer, TAG, comm, &request);
    wait_for(&request, o);
}

/* The errors of statuses are the calls' only where a call says so. */
static void look_into(struct outcome *o, const MPI_Status *own, const MPI_Status *other)
{
    o->in_status = o->code == MPI_ERR_IN_STATUS;
    o->status = *own;
    if (o->in_status)
        o->code = other->MPI_ERROR == MPI_SUCCESS ? own->MPI_ERROR : MPI_ERR_OTHER;
}

static void isendrecv(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request;

    o->code = MPI_Isendrecv(&sent, 1, MPI_INT, peer, TAG, &o->value, 1, MPI_INT, peer, TAG, comm,
                            &request);
    wait_for(&request, o);
}

static void isendrecv_replace(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request;
    int flag = 0;

    o->code = MPI_Isendrecv_replace(&o->value, 1, MPI_INT, peer, TAG, peer, TAG, comm, &request);
    while (!flag && o->code == MPI_SUCCESS)
        o->code = MPI_Test(&request, &flag, &o->status);
    o->request_gone = request == MPI_REQUEST_NULL;
}

/* Beside one that native MPI can end at once. */
static void isendrecv_replace_c(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request[2];
    int index = 1;

    MPI_Isendrecv_replace_c(&o->value, 1, MPI_INT, peer, TAG, peer, TAG, comm, &request[0]);
    MPI_Ibarrier(MPI_COMM_SELF, &request[1]);
    while (o->code == MPI_SUCCESS && index == 1)
        o->code = MPI_Waitany(2, request, &index, &o->status);
    o->request_gone = request[0] == MPI_REQUEST_NULL && index == 0;
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
}

static void isendrecv_c(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request[2];
    MPI_Status status[2];

    memset(status, 0x77, sizeof status);
    MPI_Isendrecv_c(&sent, 1, MPI_INT, peer, TAG, &o->value, 1, MPI_INT, peer, TAG, comm,
                    &request[0]);
    MPI_Ibarrier(MPI_COMM_SELF, &request[1]);
    o->code = MPI_Waitall(2, request, status);
    look_into(o, &status[0], &status[1]);
    o->request_gone = request[0] == MPI_REQUEST_NULL && request[1] == MPI_REQUEST_NULL;
}

static void isend_c(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request;

    o->code = MPI_Isend_c(large, LARGE, MPI_CHAR, peer, TAG, comm, &request);
    wait_for(&request, o);
}

static void issend(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request;

    o->code = MPI_Issend(&sent, 1, MPI_INT, peer, TAG, comm, &request);
    wait_for(&request, o);
}

static void irsend(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request;

    o->code = MPI_Irsend(&sent, 1, MPI_INT, peer, TAG, comm, &request);
    wait_for(&request, o);
}

static void ibsend(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request;

    o->code = MPI_Ibsend(&sent, 1, MPI_INT, peer, TAG, comm, &request);
    wait_for(&request, o);
}

/* A receive from the peer, and one that native MPI can end at once. */
static void two(MPI_Comm comm, int peer, struct outcome *o, MPI_Request request[2])
{
    MPI_Irecv(&o->value, 1, MPI_INT, peer, TAG, comm, &request[0]);
    MPI_Ibarrier(MPI_COMM_SELF, &request[1]);
}

static void irecv_wait(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request;

    o->code = MPI_Irecv(&o->value, 1, MPI_INT, peer, TAG, comm, &request);
    wait_for(&request, o);
}

static void irecv_test(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request;
    int flag = 0;

    MPI_Irecv(&o->value, 1, MPI_INT, peer, TAG, comm, &request);
    while (!flag && o->code == MPI_SUCCESS)
        o->code = MPI_Test(&request, &flag, &o->status);
    o->request_gone = request == MPI_REQUEST_NULL;
}

static void irecv_get_status(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request;
    int flag = 0;

    MPI_Irecv(&o->value, 1, MPI_INT, peer, TAG, comm, &request);
    while (!flag)
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    wait_for(&request, o);
}

static void irecv_waitall(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request[2];
    MPI_Status status[2];

    memset(status, 0x77, sizeof status);
    two(comm, peer, o, request);
    o->code = MPI_Waitall(2, request, status);
    look_into(o, &status[0], &status[1]);
    o->request_gone = request[0] == MPI_REQUEST_NULL && request[1] == MPI_REQUEST_NULL;
}

static void irecv_testall(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request[2];
    MPI_Status status[2];
    int flag = 0;

    memset(status, 0x77, sizeof status);
    two(comm, peer, o, request);
    while (!flag && o->code == MPI_SUCCESS)
        o->code = MPI_Testall(2, request, &flag, status);
    look_into(o, &status[0], &status[1]);
    o->request_gone = request[0] == MPI_REQUEST_NULL && request[1] == MPI_REQUEST_NULL;
}

static void irecv_waitany(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request[2];
    int index = 1;

    two(comm, peer, o, request);
    while (o->code == MPI_SUCCESS && index == 1)
        o->code = MPI_Waitany(2, request, &index, &o->status);
    o->request_gone = request[0] == MPI_REQUEST_NULL && index == 0;
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
}

static void irecv_testany(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request[2];
    int index = 1, flag = 0;

    two(comm, peer, o, request);
    while (o->code == MPI_SUCCESS && (!flag || index == 1))
        o->code = MPI_Testany(2, request, &index, &flag, &o->status);
    o->request_gone = request[0] == MPI_REQUEST_NULL && index == 0;
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
}

/* Its status, if the peer's request is among those that are done. */
static bool is_among(int done, const int indices[], const MPI_Status statuses[], struct outcome *o)
{
    static const MPI_Status good = {.MPI_ERROR = MPI_SUCCESS};

    for (int i = 0; i < done; i++)
        if (indices[i] == 0) {
            look_into(o, &statuses[i], done > 1 ? &statuses[1 - i] : &good);
            return true;
        }
    return false;
}

static void irecv_waitsome(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request[2];
    MPI_Status status[2];
    int done, indices[2];

    memset(status, 0x77, sizeof status);
    two(comm, peer, o, request);
    do
        o->code = MPI_Waitsome(2, request, &done, indices, status);
    while (!is_among(done, indices, status, o));
    o->request_gone = request[0] == MPI_REQUEST_NULL;
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
}

static void irecv_testsome(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request[2];
    MPI_Status status[2];
    int done, indices[2];

    memset(status, 0x77, sizeof status);
    two(comm, peer, o, request);
    do
        o->code = MPI_Testsome(2, request, &done, indices, status);
    while (!is_among(done, indices, status, o));
    o->request_gone = request[0] == MPI_REQUEST_NULL;
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
}

/* A persistent request is still there when it has ended, inactive, and can be freed. */
static void end_persistent(MPI_Request *request, struct outcome *o)
{
    MPI_Request handle = *request;
    MPI_Status status;

    o->code = MPI_Start(request);
    wait_for(request, o);
    o->request_gone = *request == handle && MPI_Wait(request, &status) == MPI_SUCCESS &&
                      status.MPI_SOURCE == MPI_ANY_SOURCE;
    MPI_Request_free(request);
    o->request_gone &= *request == MPI_REQUEST_NULL;
}

static void persistent_recv(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request;

    MPI_Recv_init(&o->value, one, MPI_INT, peer, TAG, comm, &request);
    end_persistent(&request, o);
}

/* Twice: what is native in it may still be on its way the second time. */
static void persistent_ssend(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request;

    MPI_Ssend_init(&sent, one, MPI_INT, peer, TAG, comm, &request);
    MPI_Start(&request);
    wait_for(&request, o);
    end_persistent(&request, o);
}

static void persistent_bsend(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request;

    MPI_Bsend_init(&sent, one, MPI_INT, peer, TAG, comm, &request);
    end_persistent(&request, o);
}

enum { PARTITIONS = 2 };

/* Of an inactive one the status is what it was in MPICH 4.0. */
static void end_partitioned(MPI_Request *request, struct outcome *o)
{
    MPI_Request handle = *request;

    o->code = MPI_Start(request);
    wait_for(request, o);
    o->request_gone = *request == handle && MPI_Wait(request, MPI_STATUS_IGNORE) == MPI_SUCCESS;
    MPI_Request_free(request);
    o->request_gone &= *request == MPI_REQUEST_NULL;
}

static void psend(MPI_Comm comm, int peer, struct outcome *o)
{
    static int half[PARTITIONS];
    MPI_Request request;

    MPI_Psend_init(half, PARTITIONS, 1, MPI_INT, peer, TAG, comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Pready_range(0, PARTITIONS - 1, request);
    wait_for(&request, o);
    MPI_Pready(0, request); /* as a thread may that does not know yet */
    end_partitioned(&request, o);
}

static void precv(MPI_Comm comm, int peer, struct outcome *o)
{
    int half[PARTITIONS], flag = 0;
    MPI_Request request;

    MPI_Precv_init(half, PARTITIONS, 1, MPI_INT, peer, TAG, comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    while (!flag)
        MPI_Parrived(request, PARTITIONS - 1, &flag);
    wait_for(&request, o);
    end_partitioned(&request, o);
}

#if MPICH_NUMVERSION >= 40200000

/* The one that needs the peer, between others. */
enum { OF_PEER = 1, LOOKED_AT = 3 };

static void three(MPI_Comm comm, int peer, struct outcome *o, MPI_Request request[LOOKED_AT])
{
    request[0] = MPI_REQUEST_NULL;
    MPI_Irecv(&o->value, 1, MPI_INT, peer, TAG, comm, &request[OF_PEER]);
    MPI_Recv_init(&one, 1, MPI_INT, 0, TAG, MPI_COMM_SELF, &request[2]);
}

/* It is still there; what was said of it is what MPI_Wait says. */
static void end_three(MPI_Request request[LOOKED_AT], bool is_right, const MPI_Status *said,
                      struct outcome *o)
{
    is_right &= request[OF_PEER] != MPI_REQUEST_NULL;
    wait_for(&request[OF_PEER], o);
    if (!is_right || said->MPI_SOURCE != o->status.MPI_SOURCE || said->MPI_TAG != o->status.MPI_TAG)
        o->code = MPI_ERR_OTHER;
    MPI_Request_free(&request[2]);
}

static void irecv_get_status_all(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request[LOOKED_AT];
    MPI_Status status[LOOKED_AT];
    int flag = 0, rv = MPI_SUCCESS;

    three(comm, peer, o, request);
    while (!flag && rv == MPI_SUCCESS)
        rv = MPI_Request_get_status_all(LOOKED_AT, request, &flag, status);
    end_three(request, rv == MPI_SUCCESS, &status[OF_PEER], o);
}

static void irecv_get_status_any(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request[LOOKED_AT];
    int flag = 0, index = 0, rv = MPI_SUCCESS;
    MPI_Status status;

    three(comm, peer, o, request);
    while (!flag && rv == MPI_SUCCESS)
        rv = MPI_Request_get_status_any(LOOKED_AT, request, &index, &flag, &status);
    end_three(request, rv == MPI_SUCCESS && index == OF_PEER, &status, o);
}

static void irecv_get_status_some(MPI_Comm comm, int peer, struct outcome *o)
{
    MPI_Request request[LOOKED_AT];
    MPI_Status status[LOOKED_AT];
    int done = 0, indices[LOOKED_AT], rv = MPI_SUCCESS;

    three(comm, peer, o, request);
    while (done == 0 && rv == MPI_SUCCESS)
        rv = MPI_Request_get_status_some(LOOKED_AT, request, &done, indices, status);
    end_three(request, rv == MPI_SUCCESS && done == 1 && indices[0] == OF_PEER, &status[0], o);
}

#endif

const struct p2p_call p2p_calls[] = {
    {"MPI_Recv", true, false, recv},
    {"MPI_Recv_c", true, false, recv_c},
    {"MPI_Sendrecv", true, false, sendrecv},
    {"MPI_Sendrecv_replace", true, false, sendrecv_replace},
    {"MPI_Sendrecv_replace_c", true, false, sendrecv_replace_c},
    {"MPI_Wait of MPI_Isendrecv", true, false, isendrecv},
    {"MPI_Waitall of MPI_Isendrecv_c", true, false, isendrecv_c},
    {"MPI_Test of MPI_Isendrecv_replace", true, false, isendrecv_replace},
    {"MPI_Waitany of MPI_Isendrecv_replace_c", true, false, isendrecv_replace_c},
    {"MPI_Probe", true, false, probe},
    {"MPI_Iprobe", true, false, iprobe},
    {"MPI_Mprobe", true, false, mprobe},
    {"MPI_Improbe", true, false, improbe},
    {"MPI_Wait of a receive", true, false, irecv_wait},
    {"MPI_Test of a receive", true, false, irecv_test},
    {"MPI_Request_get_status of a receive", true, false, irecv_get_status},
    {"MPI_Waitall", true, false, irecv_waitall},
    {"MPI_Testall", true, false, irecv_testall},
    {"MPI_Waitany", true, false, irecv_waitany},
    {"MPI_Testany", true, false, irecv_testany},
    {"MPI_Waitsome", true, false, irecv_waitsome},
    {"MPI_Testsome", true, false, irecv_testsome},
    {"MPI_Recv_init", true, false, persistent_recv},
    {"MPI_Send of much", false, false, send_large},
    {"MPI_Send_c of much", false, false, send_c},
    {"MPI_Ssend", false, false, ssend},
    {"MPI_Wait of MPI_Isend of much", false, false, isend},
    {"MPI_Wait of MPI_Isend_c of much", false, false, isend_c},
    {"MPI_Wait of MPI_Issend", false, false, issend},
    {"MPI_Ssend_init", false, false, persistent_ssend},
    {"MPI_Psend_init", false, false, psend},
    {"MPI_Precv_init", false, false, precv},
    {"MPI_Send of little", false, true, send_small},
    {"MPI_Rsend", false, true, rsend},
    {"MPI_Bsend", false, true, bsend},
    {"MPI_Wait of MPI_Irsend", false, true, irsend},
    {"MPI_Wait of MPI_Ibsend", false, true, ibsend},
    {"MPI_Bsend_init", false, true, persistent_bsend},
#if MPICH_NUMVERSION >= 40200000
    {"MPI_Request_get_status_all", true, false, irecv_get_status_all},
    {"MPI_Request_get_status_any", true, false, irecv_get_status_any},
    {"MPI_Request_get_status_some", true, false, irecv_get_status_some},
#endif
    {0},
};

bool p2p_call_is_in_partitions(const struct p2p_call *call)
{
    return call->make == psend || call->make == precv;
}
