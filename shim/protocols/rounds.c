#include "rounds.h"

#include "detector/silence.h"
#include "limits.h"
#include "program/error.h"
#include "rounds_carrier.h"

#include <stdlib.h>

static void open(void *state, struct ftc_plan *plan)
{
    struct ftc_rounds *p = state;

    *p = (struct ftc_rounds){
        .plan = plan,
        .carrier = plan->protocol == FTC_PROTOCOL_ROUNDS_IN_MESSAGES ? &ftc_rounds_in_messages
                                                                     : &ftc_rounds_in_memory,
        .place = -1,
        .ranks = plan->comm->size,
        .from = calloc((size_t)plan->comm->size, sizeof *p->from),
    };
    plan->rounds = p;
}

static void request(void *state, struct ftc_loop_request *request)
{
    struct ftc_rounds *p = state;

    p->carrier->request(p, request);
}

/* ---- behind it ---- */

/* By any rank. */
static bool is_refused(const struct ftc_rounds *p)
{
    bool is = false;

    for (int rank = 0; rank < p->ranks; rank++)
        is |= (p->from[rank].note & FTC_NOTE_REFUSES) != 0;
    return is;
}

static int deliver_all(struct ftc_rounds *p)
{
    int rv = MPI_SUCCESS;

    if (is_refused(p)) {
        p->plan->turned_out = FTC_FALLBACK_INVALID;
        return MPI_SUCCESS;
    }
    if (!p->has_memory)
        return ftc_limits_error(p->plan->call, FTC_ROUND_NO_MEMORY);
    if (!p->plan->packed)
        rv = p->plan->collective->deliver(p->plan);
    ftc_fence_check(); /* who was taken for dead may have read anything */
    return rv;
}

static int after(void *state)
{
    struct ftc_rounds *p = state;

    p->carrier->hear(p);
    if (p->status.flags & FTC_ROUND_NO_MEMORY)
        return ftc_limits_error(p->plan->call, p->status.flags);
    p->carrier->take(p);
    p->plan->is_again = p->status.left > 0;
    p->round++;
    return p->plan->is_again ? MPI_SUCCESS : deliver_all(p);
}

/* ---- the end ---- */

static void close_call(void *state)
{
    struct ftc_rounds *p = state;

    p->carrier->close(p);
}

static void free_taken(void *state)
{
    struct ftc_rounds *p = state;

    for (int rank = 0; p->from && rank < p->ranks; rank++)
        free(p->from[rank].kept.data);
    free(p->from);
    free(p->own);
}

const struct ftc_protocol_steps ftc_rounds_steps = {
    .open = open,
    .request = request,
    .after = after,
    .close = close_call,
    .free = free_taken,
};
