/* Wrappers of point-to-point calls. Native MPI carries them out, unless setting p2p requires that
 * they end when their peer is dead. Native MPI rejects null pointers in place of arguments. */
#include "p2p/p2p.h"
#include "entries.h"
#include "p2p/buffered.h"
#include "p2p/pair.h"
#include "program/error.h"
#include "program/native_call.h"
#include "program/native_poll.h"
#include "progress/empty_request.h"
#include "progress/wait.h"
#include "value/datatype.h"

#include <stdlib.h>

#define SENDS(call_name, kind)                                                                     \
    (struct ftc_p2p_call)                                                                          \
    {                                                                                              \
        call_name, comm, dest, tag, false, FTC_CALL_##kind, RETURN_ADDRESS                         \
    }
#define RECEIVES(call_name, kind)                                                                  \
    (struct ftc_p2p_call)                                                                          \
    {                                                                                              \
        call_name, comm, source, tag, true, FTC_CALL_##kind, RETURN_ADDRESS                        \
    }

#define RETURN_ADDRESS __builtin_return_address(0)

/* Returns whether native MPI has begun the operation of @request, which was MPI_REQUEST_NULL. MPICH
 * 5.0.2 also returns MPI_SUCCESS after it has called an error handler of the program. */
static bool is_begun(int rv, const MPI_Request *request)
{
    return rv == MPI_SUCCESS && *request != MPI_REQUEST_NULL;
}

/* ---- blocking sends ---- */

#define SEND(kind, name, request_name, count_type)                                                 \
    int MPI_##name(const void *buf, count_type count, MPI_Datatype datatype, int dest, int tag,    \
                   MPI_Comm comm)                                                                  \
    {                                                                                              \
        struct ftc_p2p_call call = SENDS("MPI_" #name, kind);                                      \
        MPI_Request request = MPI_REQUEST_NULL;                                                    \
        int rv;                                                                                    \
                                                                                                   \
        if (!ftc_p2p_on())                                                                         \
            return FTC_NATIVE_CALL(FTC_CALL_##kind, comm, dest, RETURN_ADDRESS,                    \
                                   PMPI_##name(buf, count, datatype, dest, tag, comm));            \
        ftc_native_call_count(FTC_CALL_##kind, comm, dest, RETURN_ADDRESS);                        \
        if (ftc_p2p_refuses(&call, &rv))                                                           \
            return rv;                                                                             \
        rv = PMPI_##request_name(buf, count, datatype, dest, tag, comm, &request);                 \
        return is_begun(rv, &request) ? ftc_p2p_finish(&call, &request, MPI_STATUS_IGNORE) : rv;   \
    }

SEND(SEND, Send, Isend, int)
SEND(SEND, Send_c, Isend_c, MPI_Count)
SEND(SSEND, Ssend, Issend, int)
SEND(SSEND, Ssend_c, Issend_c, MPI_Count)
SEND(RSEND, Rsend, Irsend, int)
SEND(RSEND, Rsend_c, Irsend_c, MPI_Count)

/* ---- buffered sends, which wait for no rank, and their buffer ---- */

#define BSEND(name, count_type)                                                                    \
    int MPI_##name(const void *buf, count_type count, MPI_Datatype datatype, int dest, int tag,    \
                   MPI_Comm comm)                                                                  \
    {                                                                                              \
        struct ftc_p2p_call call = SENDS("MPI_" #name, NONE);                                      \
        int rv;                                                                                    \
                                                                                                   \
        if (ftc_p2p_on() &&                                                                        \
            (ftc_p2p_refuses(&call, &rv) || ftc_buffered_send(&call, buf, count, datatype, &rv)))  \
            return rv;                                                                             \
        return PMPI_##name(buf, count, datatype, dest, tag, comm);                                 \
    }

BSEND(Bsend, int)
BSEND(Bsend_c, MPI_Count)

/* Defines a nonblocking buffered send. A request is complete if the library keeps the message. */
#define IBSEND(name, count_type)                                                                   \
    int MPI_##name(const void *buf, count_type count, MPI_Datatype datatype, int dest, int tag,    \
                   MPI_Comm comm, MPI_Request *request)                                            \
    {                                                                                              \
        struct ftc_p2p_call call = SENDS("MPI_" #name, NONE);                                      \
        int rv;                                                                                    \
                                                                                                   \
        if (!ftc_p2p_on() || !request)                                                             \
            return PMPI_##name(buf, count, datatype, dest, tag, comm, request);                    \
        if (ftc_p2p_is_anyone_dead() && ftc_p2p_note_dead(&call, request))                         \
            return MPI_SUCCESS;                                                                    \
        if (!ftc_buffered_send(&call, buf, count, datatype, &rv))                                  \
            return ftc_p2p_note(&call, false, request,                                             \
                                PMPI_##name(buf, count, datatype, dest, tag, comm, request));      \
        return rv == MPI_SUCCESS ? PMPI_Isend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm, request)  \
                                 : rv;                                                             \
    }

IBSEND(Ibsend, int)
IBSEND(Ibsend_c, MPI_Count)

static int attached(MPI_Count size, int rv)
{
    if (ftc_p2p_on() && rv == MPI_SUCCESS && size >= 0)
        ftc_buffered_attach((size_t)size);
    return rv;
}

int MPI_Buffer_attach(void *buffer, int size)
{
    return attached(size, PMPI_Buffer_attach(buffer, size));
}

int MPI_Buffer_attach_c(void *buffer, MPI_Count size)
{
    return attached(size, PMPI_Buffer_attach_c(buffer, size));
}

/* Defines the call that detaches the buffer. Natively it waits until all messages there are sent,
 * and MPI does not show to which ranks. Most often they have been sent and the call waits for no
 * rank. Therefore it is marked but not counted. */
#define BUFFER_DETACH(name, size_type)                                                             \
    int MPI_##name(void *buffer_addr, size_type *size)                                             \
    {                                                                                              \
        ftc_native_call_mark(FTC_CALL_BUFFER_DETACH, MPI_COMM_WORLD, FTC_ALL_MEMBERS,              \
                             RETURN_ADDRESS);                                                      \
        if (ftc_p2p_on())                                                                          \
            ftc_buffered_detach();                                                                 \
        return ftc_native_call_leave_with(PMPI_##name(buffer_addr, size));                         \
    }

BUFFER_DETACH(Buffer_detach, int)
BUFFER_DETACH(Buffer_detach_c, MPI_Count)

/* ---- blocking receives ---- */

#define RECV(name, request_name, count_type)                                                       \
    int MPI_##name(void *buf, count_type count, MPI_Datatype datatype, int source, int tag,        \
                   MPI_Comm comm, MPI_Status *status)                                              \
    {                                                                                              \
        struct ftc_p2p_call call = RECEIVES("MPI_" #name, RECV);                                   \
        MPI_Request request = MPI_REQUEST_NULL;                                                    \
        int rv;                                                                                    \
                                                                                                   \
        if (!ftc_p2p_on() || !status)                                                              \
            return FTC_NATIVE_CALL(FTC_CALL_RECV, comm, source, RETURN_ADDRESS,                    \
                                   PMPI_##name(buf, count, datatype, source, tag, comm, status));  \
        ftc_native_call_count(FTC_CALL_RECV, comm, source, RETURN_ADDRESS);                        \
        rv = PMPI_##request_name(buf, count, datatype, source, tag, comm, &request);               \
        return is_begun(rv, &request) ? ftc_p2p_finish(&call, &request, status) : rv;              \
    }

RECV(Recv, Irecv, int)
RECV(Recv_c, Irecv_c, MPI_Count)

/* Defines a receive of a matched message. MPI does not show the communicator of a message. */
#define MRECV(name, request_name, count_type)                                                      \
    int MPI_##name(void *buf, count_type count, MPI_Datatype datatype, MPI_Message *message,       \
                   MPI_Status *status)                                                             \
    {                                                                                              \
        struct ftc_p2p_call call = {"MPI_" #name, MPI_COMM_WORLD, MPI_UNDEFINED, 0,                \
                                    true,         FTC_CALL_MRECV, RETURN_ADDRESS};                 \
        MPI_Request request = MPI_REQUEST_NULL;                                                    \
        int rv;                                                                                    \
                                                                                                   \
        if (!ftc_p2p_on() || !message || !status)                                                  \
            return FTC_NATIVE_CALL(FTC_CALL_MRECV, MPI_COMM_WORLD, FTC_ALL_MEMBERS,                \
                                   RETURN_ADDRESS,                                                 \
                                   PMPI_##name(buf, count, datatype, message, status));            \
        ftc_p2p_take_message(*message, &call);                                                     \
        ftc_native_call_count(FTC_CALL_MRECV, call.comm, call.peer, RETURN_ADDRESS);               \
        rv = PMPI_##request_name(buf, count, datatype, message, &request);                         \
        return is_begun(rv, &request) ? ftc_p2p_finish(&call, &request, status) : rv;              \
    }

MRECV(Mrecv, Imrecv, int)
MRECV(Mrecv_c, Imrecv_c, MPI_Count)

#define IMRECV(name, count_type)                                                                   \
    int MPI_##name(void *buf, count_type count, MPI_Datatype datatype, MPI_Message *message,       \
                   MPI_Request *request)                                                           \
    {                                                                                              \
        struct ftc_p2p_call call = {"MPI_" #name, MPI_COMM_WORLD, MPI_UNDEFINED, 0,                \
                                    true,         FTC_CALL_NONE,  NULL};                           \
                                                                                                   \
        if (!ftc_p2p_on() || !message)                                                             \
            return PMPI_##name(buf, count, datatype, message, request);                            \
        ftc_p2p_take_message(*message, &call);                                                     \
        return ftc_p2p_note(&call, false, request,                                                 \
                            PMPI_##name(buf, count, datatype, message, request));                  \
    }

IMRECV(Imrecv, int)
IMRECV(Imrecv_c, MPI_Count)

/* ---- calls that send and receive ---- */

/* Returns whether native MPI accepts a send, for which it was to make the persistent request
 * @request with the error code @rv, and frees that request. Must be called before the receive is
 * made, because that may take a message at once. */
static bool is_accepted(int rv, MPI_Request *request)
{
    if (!is_begun(rv, request))
        return false;
    PMPI_Request_free(request);
    return true;
}

/* Begins the send @call by @pmpi_call, unless its peer is dead. Returns false after an error. */
#define IS_SENT_IF_ALIVE(call, request, rv, pmpi_call)                                             \
    (ftc_p2p_culprit(call) >= 0 || is_begun((rv) = (pmpi_call), request))

/* Carries out @pmpi_call of native MPI, which receives from source and sends to dest, marked on the
 * board. */
#define EXCHANGE(kind, pmpi_call)                                                                  \
    (ftc_native_call_enter_exchange(FTC_CALL_##kind, comm, source, dest, RETURN_ADDRESS),          \
     ftc_native_call_leave_with(pmpi_call))

/* Declares the two halves of a call whose arguments have MPI's names. */
#define BOTH_HALVES(name, kind, return_address)                                                    \
    struct ftc_p2p_call send = {"MPI_" #name, comm, dest, sendtag, false, kind, return_address};   \
    struct ftc_p2p_call receive = {"MPI_" #name, comm, source, recvtag, true, kind, return_address}

#define SENDRECV(name, send_name, receive_name, check_name, count_type)                            \
    int MPI_##name(const void *sendbuf, count_type sendcount, MPI_Datatype sendtype, int dest,     \
                   int sendtag, void *recvbuf, count_type recvcount, MPI_Datatype recvtype,        \
                   int source, int recvtag, MPI_Comm comm, MPI_Status *status)                     \
    {                                                                                              \
        BOTH_HALVES(name, FTC_CALL_SENDRECV, RETURN_ADDRESS);                                      \
        MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};                             \
        int rv;                                                                                    \
                                                                                                   \
        if (!ftc_p2p_on() || !status)                                                              \
            return EXCHANGE(SENDRECV,                                                              \
                            PMPI_##name(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,      \
                                        recvcount, recvtype, source, recvtag, comm, status));      \
        ftc_native_call_count(FTC_CALL_SENDRECV, comm, ftc_native_call_partner(source, dest),      \
                              RETURN_ADDRESS);                                                     \
        rv = PMPI_##check_name(sendbuf, sendcount, sendtype, ftc_inactive_peer(dest), sendtag,     \
                               comm, &request[0]);                                                 \
        if (!is_accepted(rv, &request[0]))                                                         \
            return rv;                                                                             \
        rv =                                                                                       \
            PMPI_##receive_name(recvbuf, recvcount, recvtype, source, recvtag, comm, &request[1]); \
        if (is_begun(rv, &request[1]) &&                                                           \
            IS_SENT_IF_ALIVE(                                                                      \
                &send, &request[0], rv,                                                            \
                PMPI_##send_name(sendbuf, sendcount, sendtype, dest, sendtag, comm, &request[0]))) \
            return ftc_p2p_finish_both(&send, &request[0], &receive, &request[1], status);         \
        ftc_p2p_abandon(&request[1]);                                                              \
        return rv;                                                                                 \
    }

SENDRECV(Sendrecv, Isend, Irecv, Send_init, int)
SENDRECV(Sendrecv_c, Isend_c, Irecv_c, Send_init_c, MPI_Count)

/* Defines MPI_Sendrecv_replace(). The copy is leaked if it may be sent to a dead rank, because that
 * send may never end. */
#define SENDRECV_REPLACE(name, suffix, count_type)                                                 \
    int MPI_##name(void *buf, count_type count, MPI_Datatype datatype, int dest, int sendtag,      \
                   int source, int recvtag, MPI_Comm comm, MPI_Status *status)                     \
    {                                                                                              \
        BOTH_HALVES(name, FTC_CALL_SENDRECV_REPLACE, RETURN_ADDRESS);                              \
        MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};                             \
        MPI_Count bytes;                                                                           \
        bool goes_on, sends;                                                                       \
        int rv;                                                                                    \
        void *copy;                                                                                \
                                                                                                   \
        if (!ftc_p2p_on() || !status)                                                              \
            return EXCHANGE(SENDRECV_REPLACE, PMPI_##name(buf, count, datatype, dest, sendtag,     \
                                                          source, recvtag, comm, status));         \
        ftc_native_call_count(FTC_CALL_SENDRECV_REPLACE, comm,                                     \
                              ftc_native_call_partner(source, dest), RETURN_ADDRESS);              \
        copy = ftc_packed_copy(buf, count, datatype, &bytes);                                      \
        if (!copy)                                                                                 \
            return PMPI_##name(buf, count, datatype, dest, sendtag, source, recvtag, comm,         \
                               status);                                                            \
        rv = PMPI_Send_init##suffix(buf, count, datatype, ftc_inactive_peer(dest), sendtag, comm,  \
                                    &request[0]);                                                  \
        if (is_accepted(rv, &request[0]))                                                          \
            rv = PMPI_Irecv##suffix(buf, count, datatype, source, recvtag, comm, &request[1]);     \
        goes_on = is_begun(rv, &request[1]) &&                                                     \
                  IS_SENT_IF_ALIVE(                                                                \
                      &send, &request[0], rv,                                                      \
                      PMPI_Isend_c(copy, bytes, MPI_PACKED, dest, sendtag, comm, &request[0]));    \
        sends = request[0] != MPI_REQUEST_NULL;                                                    \
        if (goes_on)                                                                               \
            rv = ftc_p2p_finish_both(&send, &request[0], &receive, &request[1], status);           \
        else                                                                                       \
            ftc_p2p_abandon(&request[1]);                                                          \
        if (!sends || ftc_p2p_culprit(&send) < 0)                                                  \
            free(copy);                                                                            \
        return rv;                                                                                 \
    }

SENDRECV_REPLACE(Sendrecv_replace, , int)
SENDRECV_REPLACE(Sendrecv_replace_c, _c, MPI_Count)

/* Elements in memory. */
struct elements {
    void *buf;
    MPI_Count count;
    MPI_Datatype datatype;
};

/* Begins and notes the send @call by @pmpi_call. If its peer is dead, makes a request without
 * native MPI. Returns false after an error. */
#define IS_STARTED(call, request, rv, pmpi_call)                                                   \
    (ftc_p2p_note_dead(call, request) ||                                                           \
     is_begun((rv) = ftc_p2p_note(call, false, request, pmpi_call), request))

/* Begins a call that sends and receives, with one @request of two halves, which are noted like
 * other requests. @given is what the program sends. @sent is what is sent in its place: @given
 * itself, or its packed @copy. Takes over @copy, which may be NULL. Returns an MPI error code. */
static int begin_pair(const struct ftc_p2p_call *send, const struct elements *given,
                      const struct elements *sent, void *copy, const struct ftc_p2p_call *receive,
                      const struct elements *received, MPI_Request *request)
{
    MPI_Request half[FTC_PAIR_HALVES] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int rv =
        PMPI_Send_init_c(given->buf, given->count, given->datatype, ftc_inactive_peer(send->peer),
                         send->tag, send->comm, &half[FTC_PAIR_SEND]);

    if (is_accepted(rv, &half[FTC_PAIR_SEND]))
        rv = PMPI_Irecv_c(received->buf, received->count, received->datatype, receive->peer,
                          receive->tag, receive->comm, &half[FTC_PAIR_RECEIVE]);
    if (!is_begun(rv, &half[FTC_PAIR_RECEIVE]) ||
        !IS_STARTED(send, &half[FTC_PAIR_SEND], rv,
                    PMPI_Isend_c(sent->buf, sent->count, sent->datatype, send->peer, send->tag,
                                 send->comm, &half[FTC_PAIR_SEND]))) {
        ftc_p2p_abandon(&half[FTC_PAIR_RECEIVE]);
        free(copy);
        return rv;
    }
    ftc_p2p_note(receive, false, &half[FTC_PAIR_RECEIVE], MPI_SUCCESS);
    rv = ftc_pair_start(receive, half, copy, request);
    if (rv == MPI_SUCCESS)
        return rv;
    for (int i = 0; i < FTC_PAIR_HALVES; i++)
        ftc_p2p_free(&half[i]);
    ftc_error_raise(&(struct ftc_call){.comm = receive->comm});
    return rv;
}

#define ISENDRECV(name, count_type)                                                                \
    int MPI_##name(const void *sendbuf, count_type sendcount, MPI_Datatype sendtype, int dest,     \
                   int sendtag, void *recvbuf, count_type recvcount, MPI_Datatype recvtype,        \
                   int source, int recvtag, MPI_Comm comm, MPI_Request *request)                   \
    {                                                                                              \
        BOTH_HALVES(name, FTC_CALL_NONE, NULL);                                                    \
        struct elements sent = {(void *)sendbuf, sendcount, sendtype};                             \
        struct elements received = {recvbuf, recvcount, recvtype};                                 \
                                                                                                   \
        if (!ftc_pair_possible() || !request)                                                      \
            return PMPI_##name(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,    \
                               recvtype, source, recvtag, comm, request);                          \
        return begin_pair(&send, &sent, &sent, NULL, &receive, &received, request);                \
    }

ISENDRECV(Isendrecv, int)
ISENDRECV(Isendrecv_c, MPI_Count)

#define ISENDRECV_REPLACE(name, count_type)                                                        \
    int MPI_##name(void *buf, count_type count, MPI_Datatype datatype, int dest, int sendtag,      \
                   int source, int recvtag, MPI_Comm comm, MPI_Request *request)                   \
    {                                                                                              \
        BOTH_HALVES(name, FTC_CALL_NONE, NULL);                                                    \
        struct elements replaced = {buf, count, datatype};                                         \
        struct elements copy = {.datatype = MPI_PACKED};                                           \
                                                                                                   \
        if (ftc_pair_possible() && request)                                                        \
            copy.buf = ftc_packed_copy(buf, count, datatype, &copy.count);                         \
        if (!copy.buf)                                                                             \
            return PMPI_##name(buf, count, datatype, dest, sendtag, source, recvtag, comm,         \
                               request);                                                           \
        return begin_pair(&send, &replaced, &copy, copy.buf, &receive, &replaced, request);        \
    }

ISENDRECV_REPLACE(Isendrecv_replace, int)
ISENDRECV_REPLACE(Isendrecv_replace_c, MPI_Count)

/* ---- probes ---- */

/* Notes for the mark of polls what a probe of native MPI has found. @flag is valid with MPI_SUCCESS
 * only. Returns @rv. */
static int after_look(const struct ftc_p2p_call *call, int rv, const int *flag)
{
    if (!ftc_native_call_polls())
        return rv;
    if (rv == MPI_SUCCESS && flag && !*flag)
        ftc_native_call_found_nothing(call->kind, call->comm,
                                      call->peer == MPI_ANY_SOURCE ? FTC_SOME_MEMBER : call->peer,
                                      call->return_address);
    else
        ftc_native_call_found();
    return rv;
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct ftc_p2p_call call = RECEIVES("MPI_Probe", PROBE);
    int flag;

    if (!ftc_p2p_on() || !status)
        return FTC_NATIVE_CALL(FTC_CALL_PROBE, comm, source, RETURN_ADDRESS,
                               PMPI_Probe(source, tag, comm, status));
    ftc_native_call_count(FTC_CALL_PROBE, comm, source, RETURN_ADDRESS);
    return ftc_p2p_probe(&call, true, &flag, NULL, status);
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    struct ftc_p2p_call call = RECEIVES("MPI_Iprobe", IPROBE);

    ftc_wait_catch_up();
    ftc_native_call_count(FTC_CALL_IPROBE, comm, source, RETURN_ADDRESS);
    if (!ftc_p2p_on() || !flag || !status)
        return after_look(&call, PMPI_Iprobe(source, tag, comm, flag, status), flag);
    return ftc_p2p_probe(&call, false, flag, NULL, status);
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    struct ftc_p2p_call call = RECEIVES("MPI_Mprobe", MPROBE);
    int flag;

    if (!ftc_p2p_on() || !message || !status)
        return FTC_NATIVE_CALL(FTC_CALL_MPROBE, comm, source, RETURN_ADDRESS,
                               PMPI_Mprobe(source, tag, comm, message, status));
    ftc_native_call_count(FTC_CALL_MPROBE, comm, source, RETURN_ADDRESS);
    return ftc_p2p_probe(&call, true, &flag, message, status);
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                MPI_Status *status)
{
    struct ftc_p2p_call call = RECEIVES("MPI_Improbe", IMPROBE);

    ftc_wait_catch_up();
    ftc_native_call_count(FTC_CALL_IMPROBE, comm, source, RETURN_ADDRESS);
    if (!ftc_p2p_on() || !flag || !message || !status)
        return after_look(&call, PMPI_Improbe(source, tag, comm, flag, message, status), flag);
    return ftc_p2p_probe(&call, false, flag, message, status);
}
