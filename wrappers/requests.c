/* Wrappers of calls on requests: those that make requests of messages, and those that start,
 * complete and free requests of any kind. Native MPI rejects null pointers. */
#include "collectives/persistent.h"
#include "entries.h"
#include "p2p/buffered_init.h"
#include "p2p/p2p.h"
#include "p2p/partitioned.h"
#include "program/coverage.h"
#include "program/native_call.h"
#include "program/native_poll.h"
#include "program/request.h"
#include "progress/wait.h"

#define RETURN_ADDRESS __builtin_return_address(0)

/* ---- made ---- */

#define ISEND(name, count_type)                                                                    \
    int MPI_##name(const void *buf, count_type count, MPI_Datatype datatype, int dest, int tag,    \
                   MPI_Comm comm, MPI_Request *request)                                            \
    {                                                                                              \
        struct ftc_p2p_call call = {"MPI_" #name, comm, dest, tag, false, FTC_CALL_NONE, NULL};    \
                                                                                                   \
        if (!ftc_p2p_on())                                                                         \
            return PMPI_##name(buf, count, datatype, dest, tag, comm, request);                    \
        if (ftc_p2p_is_anyone_dead() && request && ftc_p2p_note_dead(&call, request))              \
            return MPI_SUCCESS;                                                                    \
        return ftc_p2p_note(&call, false, request,                                                 \
                            PMPI_##name(buf, count, datatype, dest, tag, comm, request));          \
    }

ISEND(Isend, int)
ISEND(Isend_c, MPI_Count)
ISEND(Issend, int)
ISEND(Issend_c, MPI_Count)
ISEND(Irsend, int)
ISEND(Irsend_c, MPI_Count)

/* Defines a call that makes a request, which is noted with setting p2p. */
#define NOTED(name, persistent, receives, buffer_type, count_type)                                 \
    int MPI_##name(buffer_type buf, count_type count, MPI_Datatype datatype, int peer, int tag,    \
                   MPI_Comm comm, MPI_Request *request)                                            \
    {                                                                                              \
        struct ftc_p2p_call call = {"MPI_" #name, comm, peer, tag, receives, FTC_CALL_NONE, NULL}; \
        int rv = PMPI_##name(buf, count, datatype, peer, tag, comm, request);                      \
                                                                                                   \
        return ftc_p2p_on() ? ftc_p2p_note(&call, persistent, request, rv) : rv;                   \
    }

NOTED(Irecv, false, true, void *, int)
NOTED(Irecv_c, false, true, void *, MPI_Count)
NOTED(Recv_init, true, true, void *, int)
NOTED(Recv_init_c, true, true, void *, MPI_Count)
NOTED(Send_init, true, false, const void *, int)
NOTED(Send_init_c, true, false, const void *, MPI_Count)
NOTED(Ssend_init, true, false, const void *, int)
NOTED(Ssend_init_c, true, false, const void *, MPI_Count)
NOTED(Rsend_init, true, false, const void *, int)
NOTED(Rsend_init_c, true, false, const void *, MPI_Count)

#define BSEND_INIT(name, count_type)                                                               \
    int MPI_##name(const void *buf, count_type count, MPI_Datatype datatype, int dest, int tag,    \
                   MPI_Comm comm, MPI_Request *request)                                            \
    {                                                                                              \
        struct ftc_p2p_call call = {"MPI_Start", comm, dest, tag, false, FTC_CALL_NONE, NULL};     \
        int rv = PMPI_##name(buf, count, datatype, dest, tag, comm, request);                      \
                                                                                                   \
        return ftc_p2p_on() ? ftc_buffered_init(&call, buf, count, datatype, request, rv) : rv;    \
    }

BSEND_INIT(Bsend_init, int)
BSEND_INIT(Bsend_init_c, MPI_Count)

#define PARTITIONED(name, receives, buffer_type)                                                   \
    int MPI_##name(buffer_type buf, int partitions, MPI_Count count, MPI_Datatype datatype,        \
                   int peer, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)          \
    {                                                                                              \
        struct ftc_p2p_call call = {"MPI_" #name, comm, peer, tag, receives, FTC_CALL_NONE, NULL}; \
        int rv = PMPI_##name(buf, partitions, count, datatype, peer, tag, comm, info, request);    \
                                                                                                   \
        return ftc_p2p_on() ? ftc_partitioned_note(&call, request, rv) : rv;                       \
    }

PARTITIONED(Psend_init, false, const void *)
PARTITIONED(Precv_init, true, void *)

int MPI_Pready(int partition, MPI_Request request)
{
    return ftc_partitioned_is_in_vain(request) ? MPI_SUCCESS : PMPI_Pready(partition, request);
}

int MPI_Pready_range(int partition_low, int partition_high, MPI_Request request)
{
    return ftc_partitioned_is_in_vain(request)
               ? MPI_SUCCESS
               : PMPI_Pready_range(partition_low, partition_high, request);
}

/* Type of a partition's number in a list, as in MPICH's header: that of 4.0 lacks the const of the
 * standard. */
#if MPICH_NUMVERSION < 40100000
#define PARTITIONS int
#else
#define PARTITIONS const int
#endif

int MPI_Pready_list(int length, PARTITIONS partitions[], MPI_Request request)
{
    return ftc_partitioned_is_in_vain(request) ? MPI_SUCCESS
                                               : PMPI_Pready_list(length, partitions, request);
}

/* Starts a request that is not one of a collective operation carried out here. */
static int start_other(MPI_Request *request)
{
    return ftc_p2p_on() && request ? ftc_p2p_start_persistent(1, request) : PMPI_Start(request);
}

static int start_any(MPI_Request *request)
{
    struct ftc_persistent *p = ftc_persistent_find(*request);
    MPI_Request started;
    int rv;

    if (!p)
        return start_other(request);
    rv = ftc_persistent_start(p, &started);
    if (rv == MPI_SUCCESS)
        ftc_p2p_note_protected(started, MPI_COMM_WORLD);
    return rv;
}

int MPI_Start(MPI_Request *request)
{
    return ftc_persistent_are_used() && request ? start_any(request) : start_other(request);
}

int MPI_Startall(int count, MPI_Request requests[])
{
    int rv = MPI_SUCCESS;

    if (!ftc_persistent_are_used() || !requests || count <= 0)
        return ftc_p2p_on() && requests ? ftc_p2p_start_persistent(count, requests)
                                        : PMPI_Startall(count, requests);
    for (int i = 0; i < count && rv == MPI_SUCCESS; i++)
        rv = start_any(&requests[i]);
    return rv;
}

int MPI_Request_free(MPI_Request *request)
{
    struct ftc_persistent *p = request ? ftc_persistent_find(*request) : NULL;

    if (p)
        return ftc_persistent_free(p, request);
    return ftc_p2p_on() && request ? ftc_p2p_free(request) : PMPI_Request_free(request);
}

int MPI_Cancel(MPI_Request *request)
{
    struct ftc_persistent *p = request ? ftc_persistent_find(*request) : NULL;
    MPI_Request started = p ? ftc_persistent_started(p) : MPI_REQUEST_NULL;

    if (started != MPI_REQUEST_NULL)
        return PMPI_Cancel(&started);
    return ftc_p2p_on() && request ? ftc_p2p_cancel(request) : PMPI_Cancel(request);
}

/* ---- completed ---- */

/* Returns the peer for the report of call sites: MPI_PROC_NULL if all requests are of nonblocking
 * calls that are carried out here, because these need no rank. */
static int peer_of(int count, const MPI_Request requests[])
{
    bool has_ours = false;

    for (int i = 0; requests && i < count && ftc_coverage_is_on; i++) {
        if (requests[i] != MPI_REQUEST_NULL && !ftc_request_is_ours(requests[i]))
            return FTC_ALL_MEMBERS;
        has_ours |= requests[i] != MPI_REQUEST_NULL;
    }
    return has_ours ? MPI_PROC_NULL : FTC_ALL_MEMBERS;
}

/* Counts and marks a native wait. Which rank a request needs is not known natively, so the mark
 * says that it may be any. */
#define NATIVE_WAIT(kind, count, requests, pmpi_call)                                              \
    (ftc_native_call_count(FTC_CALL_##kind, MPI_COMM_WORLD, peer_of(count, requests),              \
                           RETURN_ADDRESS),                                                        \
     ftc_native_call_mark(FTC_CALL_##kind, MPI_COMM_WORLD, FTC_ALL_MEMBERS, RETURN_ADDRESS),       \
     ftc_native_call_leave_with(pmpi_call))

#define COMPLETION(call_kind, ...)                                                                 \
    &(struct ftc_p2p_completion)                                                                   \
    {                                                                                              \
        .kind = FTC_CALL_##call_kind, .return_address = RETURN_ADDRESS, __VA_ARGS__                \
    }
#define WAITS(kind) COMPLETION(kind, .waits = true)
#define LOOKS(kind) COMPLETION(kind, .waits = false)
#define KEEPS(kind) COMPLETION(kind, .keeps = true)

/* Returns whether @requests has any request. Without one a poll has nothing to find. */
static bool has_request(int count, const MPI_Request requests[])
{
    for (int i = 0; requests && i < count; i++)
        if (requests[i] != MPI_REQUEST_NULL)
            return true;
    return false;
}

/* Notes for the mark of polls whether a poll has found something. An error counts as something. */
static void end_look(enum ftc_call_kind kind, bool found, const void *return_address)
{
    if (found)
        ftc_native_call_found();
    else
        ftc_native_call_found_nothing(kind, MPI_COMM_WORLD, FTC_ALL_MEMBERS, return_address);
}

#define NATIVE_LOOK(kind, count, requests, pmpi_call, found)                                       \
    ({                                                                                             \
        bool polls = ftc_native_call_polls();                                                      \
        bool has = (polls || ftc_coverage_is_on) && has_request(count, requests);                  \
        int code;                                                                                  \
                                                                                                   \
        if (has) /* before a complete request loses its handle */                                  \
            ftc_native_call_count(FTC_CALL_##kind, MPI_COMM_WORLD, peer_of(count, requests),       \
                                  RETURN_ADDRESS);                                                 \
        code = pmpi_call;                                                                          \
        if (has && polls)                                                                          \
            end_look(FTC_CALL_##kind, code != MPI_SUCCESS || (found), RETURN_ADDRESS);             \
        code;                                                                                      \
    })

/* Carries out @call on seen, which has the program's requests. In place of persistent ones it has
 * those of the operations that these have started. Returns the code of @call. */
#define SHOWN(count, requests, call)                                                               \
    ({                                                                                             \
        struct ftc_persistent_swap shown;                                                          \
        int shown_rv = MPI_SUCCESS;                                                                \
                                                                                                   \
        if (ftc_persistent_swap_in(&shown, count, requests, &shown_rv)) {                          \
            MPI_Request *seen = shown.shown;                                                       \
                                                                                                   \
            shown_rv = call;                                                                       \
            ftc_persistent_swap_out(&shown);                                                       \
        }                                                                                          \
        shown_rv;                                                                                  \
    })

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    int flag;

    return SHOWN(1, request,
                 ftc_p2p_on() && request && status
                     ? ftc_p2p_one(WAITS(WAIT), seen, &flag, status)
                     : NATIVE_WAIT(WAIT, 1, seen, PMPI_Wait(seen, status)));
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    ftc_wait_catch_up();
    return SHOWN(1, request,
                 ftc_p2p_on() && request && flag && status
                     ? ftc_p2p_one(LOOKS(TEST), seen, flag, status)
                     : NATIVE_LOOK(TEST, 1, seen, PMPI_Test(seen, flag, status), *flag));
}

/* Native MPI rejects an invalid count in the following calls. */

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    int flag;

    return SHOWN(count, requests,
                 ftc_p2p_on() && count > 0 && requests && statuses
                     ? ftc_p2p_all(WAITS(WAITALL), count, seen, &flag, statuses)
                     : NATIVE_WAIT(WAITALL, count, seen, PMPI_Waitall(count, seen, statuses)));
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    ftc_wait_catch_up();
    return SHOWN(
        count, requests,
        ftc_p2p_on() && count > 0 && requests && flag && statuses
            ? ftc_p2p_all(LOOKS(TESTALL), count, seen, flag, statuses)
            : NATIVE_LOOK(TESTALL, count, seen, PMPI_Testall(count, seen, flag, statuses), *flag));
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    int flag;

    return SHOWN(count, requests,
                 ftc_p2p_on() && count > 0 && requests && index && status
                     ? ftc_p2p_any(WAITS(WAITANY), count, seen, index, &flag, status)
                     : NATIVE_WAIT(WAITANY, count, seen, PMPI_Waitany(count, seen, index, status)));
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    ftc_wait_catch_up();
    return SHOWN(count, requests,
                 ftc_p2p_on() && count > 0 && requests && index && flag && status
                     ? ftc_p2p_any(LOOKS(TESTANY), count, seen, index, flag, status)
                     : NATIVE_LOOK(TESTANY, count, seen,
                                   PMPI_Testany(count, seen, index, flag, status), *flag));
}

int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    return SHOWN(count, requests,
                 ftc_p2p_on() && count > 0 && requests && done && indices && statuses
                     ? ftc_p2p_some(WAITS(WAITSOME), count, seen, done, indices, statuses)
                     : NATIVE_WAIT(WAITSOME, count, seen,
                                   PMPI_Waitsome(count, seen, done, indices, statuses)));
}

int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    ftc_wait_catch_up();
    return SHOWN(count, requests,
                 ftc_p2p_on() && count > 0 && requests && done && indices && statuses
                     ? ftc_p2p_some(LOOKS(TESTSOME), count, seen, done, indices, statuses)
                     : NATIVE_LOOK(TESTSOME, count, seen,
                                   PMPI_Testsome(count, seen, done, indices, statuses),
                                   *done != 0));
}

int MPI_Parrived(MPI_Request request, int partition, int *flag)
{
    ftc_wait_catch_up();
    return ftc_p2p_on() && flag
               ? ftc_p2p_arrived(KEEPS(PARRIVED), request, partition, flag)
               : NATIVE_LOOK(PARRIVED, 1, &request, PMPI_Parrived(request, partition, flag),
                             flag && *flag);
}

/* ---- checked, and kept ---- */

/* These calls poll generalized requests first, because MPICH calls none back in them. */

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    ftc_wait_catch_up();
    return SHOWN(1, &request,
                 (ftc_request_poll(1, seen),
                  ftc_p2p_on() && flag && status
                      ? ftc_p2p_get_status(KEEPS(REQUEST_GET_STATUS), *seen, flag, status)
                      : NATIVE_LOOK(REQUEST_GET_STATUS, 1, seen,
                                    PMPI_Request_get_status(*seen, flag, status), *flag)));
}

/* Checks several requests. Native MPI rejects an invalid count here as well. */
#define LOOKED_AT(is_complete, protected_call, native_call)                                        \
    SHOWN(count, (MPI_Request *)requests,                                                          \
          (ftc_request_poll(count, seen),                                                          \
           ftc_p2p_on() && count > 0 && requests && (is_complete) ? protected_call : native_call))

int MPI_Request_get_status_all(int count, const MPI_Request requests[], int *flag,
                               MPI_Status statuses[])
{
    ftc_wait_catch_up();
    return LOOKED_AT(flag && statuses,
                     ftc_p2p_all(KEEPS(REQUEST_GET_STATUS_ALL), count, seen, flag, statuses),
                     NATIVE_LOOK(REQUEST_GET_STATUS_ALL, count, seen,
                                 PMPI_Request_get_status_all(count, seen, flag, statuses), *flag));
}

int MPI_Request_get_status_any(int count, const MPI_Request requests[], int *index, int *flag,
                               MPI_Status *status)
{
    ftc_wait_catch_up();
    return LOOKED_AT(index && flag && status,
                     ftc_p2p_any(KEEPS(REQUEST_GET_STATUS_ANY), count, seen, index, flag, status),
                     NATIVE_LOOK(REQUEST_GET_STATUS_ANY, count, seen,
                                 PMPI_Request_get_status_any(count, seen, index, flag, status),
                                 *flag));
}

int MPI_Request_get_status_some(int count, const MPI_Request requests[], int *done, int indices[],
                                MPI_Status statuses[])
{
    ftc_wait_catch_up();
    return LOOKED_AT(
        done && indices && statuses,
        ftc_p2p_some(KEEPS(REQUEST_GET_STATUS_SOME), count, seen, done, indices, statuses),
        NATIVE_LOOK(REQUEST_GET_STATUS_SOME, count, seen,
                    PMPI_Request_get_status_some(count, seen, done, indices, statuses),
                    *done != 0));
}
