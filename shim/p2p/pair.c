#include "pair.h"

#include "dead_peer.h"
#include "mpi/inside.h"
#include "program/error.h"
#include "progress/wait.h"

#include <stdlib.h>

struct pair {
    struct ftc_pair shown; /* must be first */
    MPI_Request handle;
    MPI_Request half[FTC_PAIR_HALVES]; /* requests of the messages; MPI_REQUEST_NULL: over */
    int error;                         /* error of a message; of the receive if both have one */
    int culprit;         /* dead rank that caused the error; -1: native MPI has raised it */
    bool is_from_nobody; /* the receive is from MPI_PROC_NULL */
    void *copy;
    bool is_complete;
};

_Atomic bool ftc_pair_has_failed;

bool ftc_pair_possible(void)
{
    return ftc_p2p_on() && ftc_inside_has(FTC_INSIDE_REQUESTS) &&
           ftc_mpi_function(FTC_MPIX_Grequest_start) != NULL;
}

static void end(struct pair *p, int which, int rv, int culprit)
{
    if (rv == MPI_SUCCESS || (p->error != MPI_SUCCESS && which != FTC_PAIR_RECEIVE))
        return;
    p->error = rv;
    p->culprit = culprit;
}

/* Ends a message that native MPI has completed with @rv. Sets the status of a receive from
 * MPI_PROC_NULL, which MPICH 4.0.2 leaves unchanged. */
static void end_alive(struct pair *p, int which, int rv)
{
    end(p, which, rv, -1);
    p->half[which] = MPI_REQUEST_NULL;
    if (which == FTC_PAIR_RECEIVE && p->is_from_nobody)
        ftc_dead_empty(&p->shown.received);
}

/* Ends a message that has failed. Leaks the copy if native MPI may still send it. */
static void end_dead(struct pair *p, int which, struct ftc_p2p_request *r, MPI_Status *status)
{
    end(p, which, ftc_dead_result("", r, status), r->failed_by);
    ftc_error_drop();
    if (which == FTC_PAIR_SEND && !r->placeholder)
        p->copy = NULL;
    ftc_dead_finish(r, &p->half[which]);
}

/* Tests a message. Returns whether it is over. */
static bool look_at(struct pair *p, int which)
{
    MPI_Request handle = p->half[which];
    MPI_Status *status = which == FTC_PAIR_RECEIVE ? &p->shown.received : MPI_STATUS_IGNORE;
    struct ftc_p2p_request r;
    bool is_known = ftc_p2p_is_anyone_dead() && ftc_requests_find(handle, &r);
    uint32_t last = ftc_requests_last();
    int flag = FTC_P2P_UNSET, rv;

    if (handle == MPI_REQUEST_NULL)
        return true;
    if (!is_known || r.failed_by < 0) {
        rv = PMPI_Test(&p->half[which], &flag, status);
        if (flag || rv != MPI_SUCCESS) {
            ftc_requests_remove_until(handle, last);
            end_alive(p, which, rv);
            return true;
        }
    }
    if (!is_known || !ftc_dead_fails(&r))
        return false;
    end_dead(p, which, &r, status);
    return true;
}

/* Notes the pair as failed if one of its messages has an error, and returns whether it is. The
 * calls that complete requests then raise the error (complete.c). The generalized request has no
 * communicator, so MPI would raise it elsewhere. */
static bool fails(struct pair *p)
{
    struct ftc_p2p_request r;

    if (p->error == MPI_SUCCESS || !ftc_requests_find(p->handle, &r))
        return false;
    if (p->culprit < 0)
        p->shown.raised = p->error;
    r.failed_by = p->culprit < 0 ? 0 : p->culprit;
    ftc_requests_update(&r);
    atomic_store(&ftc_pair_has_failed, true);
    return true;
}

bool ftc_pair_look(struct ftc_pair *shown)
{
    struct pair *p = (struct pair *)shown;
    bool is_received = look_at(p, FTC_PAIR_RECEIVE), is_sent = look_at(p, FTC_PAIR_SEND);

    if (!is_received || !is_sent || p->is_complete || fails(p))
        return p->is_complete;
    p->is_complete = true;
    PMPI_Grequest_complete(p->handle);
    return true;
}

static int on_poll(void *state, MPI_Status *status)
{
    (void)status;
    ftc_pair_look(state);
    return MPI_SUCCESS;
}

static int on_wait(int count, void **states, double timeout, MPI_Status *status)
{
    struct ftc_wait wait = {0};

    (void)timeout;
    (void)status;
    for (int i = 0; i < count; i++)
        while (!ftc_pair_look(states[i]))
            ftc_wait_native_turn(&wait);
    return MPI_SUCCESS;
}

/* Returns the status of the receive, without the error, which has been raised. */
static int on_query(void *state, MPI_Status *status)
{
    const struct pair *p = state;

    *status = p->shown.received;
    status->MPI_ERROR = MPI_SUCCESS;
    return MPI_SUCCESS;
}

static bool is_sent(MPI_Request send)
{
    return send == MPI_REQUEST_NULL || ftc_requests_is_complete(send);
}

/* Frees the pair. Messages under way go on without a request of the program. */
static int on_free(void *state)
{
    struct pair *p = state;

    if (is_sent(p->half[FTC_PAIR_SEND]))
        free(p->copy);
    for (int i = 0; i < FTC_PAIR_HALVES; i++)
        if (p->half[i] != MPI_REQUEST_NULL)
            ftc_p2p_free(&p->half[i]);
    free(p);
    return MPI_SUCCESS;
}

static int on_cancel(void *state, int is_complete)
{
    (void)state;
    return is_complete ? MPI_SUCCESS : MPI_ERR_REQUEST;
}

int ftc_pair_start(const struct ftc_p2p_call *receive, const MPI_Request half[FTC_PAIR_HALVES],
                   void *copy, MPI_Request *request)
{
    struct pair *p = calloc(1, sizeof *p);
    struct ftc_p2p_request r;
    int rv;

    if (!p)
        return ftc_error_no_memory();
    p->half[FTC_PAIR_SEND] = half[FTC_PAIR_SEND];
    p->half[FTC_PAIR_RECEIVE] = half[FTC_PAIR_RECEIVE];
    p->culprit = -1;
    p->copy = copy;
    p->is_from_nobody = receive->peer == MPI_PROC_NULL;
    p->shown.raised = MPI_SUCCESS;
    ftc_dead_empty(&p->shown.received);
    rv = MPIX_Grequest_start(on_query, on_free, on_cancel, on_poll, on_wait, p, &p->handle);
    if (rv != MPI_SUCCESS) {
        free(p);
        return rv;
    }
    *request = p->handle;
    ftc_p2p_note_protected(*request, receive->comm);
    if (ftc_requests_find(*request, &r)) {
        r.pair = &p->shown;
        ftc_requests_update(&r);
    }
    return MPI_SUCCESS;
}
