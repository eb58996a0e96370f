#include "posted.h"

#include "detector/silence.h"
#include "limits.h"
#include "posted_way.h"
#include "program/error.h"

#include <stdlib.h>

void ftc_posted_open(struct ftc_posted *p, struct ftc_plan *plan)
{
    *p = (struct ftc_posted){
        .plan = plan,
        .way = plan->protocol == FTC_PROTOCOL_ROUNDS_IN_MESSAGES ? &ftc_posted_in_messages
                                                                 : &ftc_posted_in_memory,
        .place = -1,
        .ranks = plan->comm->size,
        .from = calloc((size_t)plan->comm->size, sizeof *p->from),
    };
    plan->posted = p;
}

void ftc_posted_request(struct ftc_posted *p, struct ftc_loop_request *request)
{
    p->way->request(p, request);
}

/* ---- behind it ---- */

/* By any rank. */
static bool is_refused(const struct ftc_posted *p)
{
    bool is = false;

    for (int rank = 0; rank < p->ranks; rank++)
        is |= (p->from[rank].note & FTC_NOTE_REFUSES) != 0;
    return is;
}

static int deliver_all(struct ftc_posted *p)
{
    int rv = MPI_SUCCESS;

    if (is_refused(p)) {
        p->plan->turned_out = FTC_FALLBACK_INVALID;
        return MPI_SUCCESS;
    }
    if (!p->has_memory)
        return ftc_limits_error(p->plan->call, FTC_TALLY_NO_MEMORY);
    if (!p->plan->parcel)
        rv = p->plan->collective->deliver(p->plan);
    ftc_fence_check(); /* who was taken for dead may have read anything */
    return rv;
}

int ftc_posted_deliver(struct ftc_posted *p)
{
    p->way->hear(p);
    if (p->tally.flags & FTC_TALLY_NO_MEMORY)
        return ftc_limits_error(p->plan->call, p->tally.flags);
    p->way->take(p);
    p->plan->is_again = p->tally.left > 0;
    p->round++;
    return p->plan->is_again ? MPI_SUCCESS : deliver_all(p);
}

/* ---- the end ---- */

void ftc_posted_close(struct ftc_posted *p)
{
    p->way->close(p);
}

void ftc_posted_free(struct ftc_posted *p)
{
    for (int rank = 0; p->from && rank < p->ranks; rank++)
        free(p->from[rank].kept.data);
    free(p->from);
    free(p->own);
}
