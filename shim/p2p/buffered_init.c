#include "buffered_init.h"

#include "buffered.h"
#include "program/error.h"
#include "value/datatype.h"

#include <stdlib.h>

struct ftc_bsend {
    MPI_Request native; /* native MPI's request, never started; it keeps datatype and comm valid */
    const void *buf;
    MPI_Count count;
    MPI_Datatype datatype;
    struct ftc_p2p_call call;
    int own_tag; /* tag of the message that the program's request sends */
};

enum { OWN_TAGS = 32768, FIRST_OWN_TAG = 1 }; /* MPI_TAG_UB >= 32767; value/datatype.c uses 0 */

_Atomic bool ftc_buffered_init_is_used;

/* Makes the request for the program. Its peer is not MPI_PROC_NULL: MPICH 4.0.2 takes such a
 * request for inactive once it is started, so MPI_Waitany() would not return it. */
static bool make(struct ftc_bsend *b, MPI_Request *request)
{
    static _Atomic unsigned made;

    b->own_tag = (int)(atomic_fetch_add(&made, 1) % (OWN_TAGS - FIRST_OWN_TAG)) + FIRST_OWN_TAG;
    return PMPI_Send_init(NULL, 0, MPI_BYTE, 0, b->own_tag, ftc_comm_of_this_process(), request) ==
           MPI_SUCCESS;
}

/* Notes the request for the program. Returns false without memory. */
static bool note(struct ftc_bsend *b, MPI_Request request)
{
    struct ftc_p2p_request r;

    ftc_p2p_note(&b->call, true, &request, MPI_SUCCESS);
    if (!ftc_requests_find(request, &r))
        return false;
    r.bsend = b;
    ftc_requests_update(&r);
    atomic_store_explicit(&ftc_buffered_init_is_used, true, memory_order_relaxed);
    return true;
}

/* Replaces native MPI's *@request by a request for the program. Returns false if that fails. */
static bool take_over(struct ftc_bsend *b, MPI_Request *request)
{
    MPI_Request own;

    b->native = *request;
    if (!make(b, &own))
        return false;
    if (note(b, own)) {
        *request = own;
        return true;
    }
    PMPI_Request_free(&own);
    return false;
}

int ftc_buffered_init(const struct ftc_p2p_call *call, const void *buf, MPI_Count count,
                      MPI_Datatype datatype, MPI_Request *request, int rv)
{
    struct ftc_bsend *b = NULL;

    if (rv == MPI_SUCCESS && request && call->peer >= 0 && ftc_buffered_is_possible())
        b = malloc(sizeof *b);
    if (!b)
        return ftc_p2p_note(call, true, request, rv);
    *b = (struct ftc_bsend){.buf = buf, .count = count, .datatype = datatype, .call = *call};
    if (take_over(b, request))
        return rv;
    free(b);
    return ftc_p2p_note(call, true, request, rv);
}

/* Starts the program's request and receives its message, so that it is complete. Native MPI rejects
 * a request that is active. */
static int activate(const struct ftc_bsend *b, MPI_Request *request)
{
    int rv = PMPI_Start(request);

    if (rv == MPI_SUCCESS)
        PMPI_Recv(NULL, 0, MPI_BYTE, 0, b->own_tag, ftc_comm_of_this_process(), MPI_STATUS_IGNORE);
    return rv;
}

static int send_natively(const struct ftc_bsend *b)
{
    return PMPI_Bsend_c(b->buf, b->count, b->datatype, b->call.peer, b->call.tag, b->call.comm);
}

/* Keeps the request inactive while an error handler is called, because that may leave the call by a
 * jump. */
int ftc_buffered_init_start(const struct ftc_bsend *b, MPI_Request *request)
{
    bool is_refused, is_sent;
    int rv = activate(b, request);

    if (rv != MPI_SUCCESS)
        return rv;
    is_sent = ftc_buffered_try(&b->call, b->buf, b->count, b->datatype, &rv, &is_refused);
    if (is_sent && rv == MPI_SUCCESS)
        return rv;
    PMPI_Wait(request, MPI_STATUS_IGNORE);
    if (!is_sent)
        rv = send_natively(b);
    else if (is_refused)
        ftc_error_raise(&(struct ftc_call){.comm = b->call.comm});
    return rv == MPI_SUCCESS ? activate(b, request) : rv;
}

void ftc_buffered_init_free(struct ftc_bsend *b)
{
    PMPI_Request_free(&b->native);
    free(b);
}
