#include "partitioned.h"

#include "lock.h"

#include <search.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

static _Atomic bool are_used;
static void *collectives; /* tree of noted requests, by tsearch() */

/* ---- persistent collective calls of native MPI ---- */

static void *key_of(MPI_Request request)
{
    return (void *)(uintptr_t)(unsigned)request;
}

static int compare(const void *a, const void *b)
{
    return a == b ? 0 : a < b ? -1 : 1;
}

int ftc_partitioned_note_collective(const MPI_Request *request, int rv)
{
    if (rv != MPI_SUCCESS || !request)
        return rv;
    ftc_p2p_lock();
    tsearch(key_of(*request), &collectives,
            compare); /* without memory native MPI tests the request */
    ftc_p2p_unlock();
    atomic_store_explicit(&are_used, true, memory_order_relaxed);
    return rv;
}

void ftc_partitioned_forget_collective(MPI_Request request)
{
    if (!atomic_load_explicit(&are_used, memory_order_relaxed))
        return;
    ftc_p2p_lock();
    tdelete(key_of(request), &collectives, compare);
    ftc_p2p_unlock();
}

static bool is_collective(MPI_Request request)
{
    bool is;

    ftc_p2p_lock();
    is = tfind(key_of(request), &collectives, compare) != NULL;
    ftc_p2p_unlock();
    return is;
}

/* ---- messages in partitions ---- */

int ftc_partitioned_note(const struct ftc_p2p_call *call, const MPI_Request *request, int rv)
{
    struct ftc_p2p_request r;

    ftc_p2p_note(call, true, request, rv);
    if (rv == MPI_SUCCESS && request && ftc_requests_find(*request, &r)) {
        r.partitioned = true;
        ftc_requests_update(&r);
        atomic_store_explicit(&are_used, true, memory_order_relaxed);
    }
    return rv;
}

bool ftc_partitioned_is_in_vain(MPI_Request request)
{
    struct ftc_p2p_request r;
    bool is_dead;

    if (!ftc_p2p_on() || !ftc_p2p_is_anyone_dead() || !ftc_requests_find(request, &r) ||
        !r.partitioned)
        return false;
    ftc_p2p_lock();
    is_dead = r.failed_by >= 0 || r.broken || ftc_peers_culprit(r.peers, r.peer, 0) >= 0;
    ftc_p2p_unlock();
    return is_dead;
}

/* ---- tests of several requests ---- */

static bool is_tested_alone(MPI_Request request)
{
    struct ftc_p2p_request r;

    return (ftc_requests_find(request, &r) && r.partitioned) || is_collective(request);
}

/* Copies @requests to @others, without those that are tested alone. Returns whether all that are
 * tested alone have ended. */
static bool have_ended(int count, const MPI_Request requests[], MPI_Request others[])
{
    bool all = true;
    int flag;

    for (int i = 0; i < count; i++) {
        others[i] = requests[i];
        if (!is_tested_alone(requests[i]))
            continue;
        others[i] = MPI_REQUEST_NULL;
        flag = 0;
        PMPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
        all &= flag != 0;
    }
    return all;
}

static int native_all(int count, MPI_Request requests[], bool keeps, int *flag,
                      MPI_Status statuses[])
{
    return keeps ? PMPI_Request_get_status_all(count, requests, flag, statuses)
                 : PMPI_Testall(count, requests, flag, statuses);
}

/* Completes a request, or if the call @keeps requests only gets its status. Returns the request's
 * error code. */
static int end(MPI_Request *request, bool keeps, MPI_Status *status)
{
    int flag;

    return keeps ? PMPI_Request_get_status(*request, &flag, status)
                 : PMPI_Test(request, &flag, status);
}

static void clear_errors(int count, MPI_Status statuses[])
{
    for (int i = 0; statuses != MPI_STATUSES_IGNORE && i < count; i++)
        statuses[i].MPI_ERROR = MPI_SUCCESS;
}

/* Completes the requests that are tested alone. Returns @rv, or MPI_ERR_IN_STATUS if one of them
 * has an error. Only with MPI_ERR_IN_STATUS do statuses have errors of their own. */
static int end_all(int count, MPI_Request requests[], const MPI_Request others[], bool keeps,
                   int rv, MPI_Status statuses[])
{
    for (int i = 0; i < count; i++) {
        MPI_Status *status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
        int error;

        if (others[i] != MPI_REQUEST_NULL || !is_tested_alone(requests[i]))
            continue;
        error = end(&requests[i], keeps, status);
        if (error != MPI_SUCCESS && rv == MPI_SUCCESS) {
            clear_errors(count, statuses);
            rv = MPI_ERR_IN_STATUS;
        }
        if (rv == MPI_ERR_IN_STATUS && status != MPI_STATUS_IGNORE)
            status->MPI_ERROR = error;
    }
    return rv;
}

static int test_all(int count, MPI_Request requests[], MPI_Request others[], bool keeps, int *flag,
                    MPI_Status statuses[])
{
    int rv;

    if (!have_ended(count, requests, others)) {
        *flag = 0;
        return MPI_SUCCESS;
    }
    rv = native_all(count, others, keeps, flag, statuses);
    for (int i = 0; !keeps && i < count; i++)
        if (others[i] != MPI_REQUEST_NULL || !is_tested_alone(requests[i]))
            requests[i] = others[i];
    return *flag > 0 || rv == MPI_ERR_IN_STATUS
               ? end_all(count, requests, others, keeps, rv, statuses)
               : rv;
}

int ftc_partitioned_test_all(int count, MPI_Request requests[], bool keeps, int *flag,
                             MPI_Status statuses[])
{
    enum { FEW = 32 };
    MPI_Request few[FEW], *others = few;
    int rv;

    if (!atomic_load_explicit(&are_used, memory_order_relaxed))
        return native_all(count, requests, keeps, flag, statuses);
    if (count > FEW)
        others = malloc((size_t)count * sizeof *others);
    if (!others)
        return native_all(count, requests, keeps, flag, statuses);
    rv = test_all(count, requests, others, keeps, flag, statuses);
    if (others != few)
        free(others);
    return rv;
}
