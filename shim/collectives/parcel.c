#include "parcel.h"

#include "program/error.h"
#include "progress/running.h"
#include "value/held.h"
#include "value/sides.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is kept ---- */

struct ftc_kept_handle {
    enum ftc_held_kind kind;
    int handle;
};

static bool keep(struct ftc_kept *k, enum ftc_held_kind kind, int handle)
{
    if (!ftc_held_hold(kind, handle))
        return false;
    k->handle[k->handles++] = (struct ftc_kept_handle){kind, handle};
    return true;
}

/* Of no elements the datatype may be anything. */
static bool keep_side(struct ftc_kept *k, const struct ftc_side *side, int blocks)
{
    if (!keep(k, FTC_HELD_DATATYPE, side->datatype))
        return false;
    for (int i = 0; side->datatypes && side->buffer != MPI_IN_PLACE && i < blocks; i++)
        if (ftc_side_count(side, i) != 0 && !keep(k, FTC_HELD_DATATYPE, side->datatypes[i]))
            return false;
    return true;
}

/* Those of mpi_f08 are there until the call returns. */
static void keep_datatypes_of(struct ftc_side *side, MPI_Datatype *copy, int blocks)
{
    if (!side->datatypes || side->buffer == MPI_IN_PLACE)
        return;
    memcpy(copy, side->datatypes, (size_t)blocks * sizeof *copy);
    side->datatypes = copy;
}

static bool keep_datatypes(struct ftc_kept *k, struct ftc_sides *sides, int out, int in)
{
    if (!sides->send.datatypes && !sides->receive.datatypes)
        return true;
    k->datatypes = malloc(((size_t)out + (size_t)in + 1) * sizeof *k->datatypes);
    if (!k->datatypes)
        return false;
    keep_datatypes_of(&sides->send, k->datatypes, out);
    keep_datatypes_of(&sides->receive, k->datatypes + out, in);
    return true;
}

static bool keep_handles(struct ftc_kept *k, const struct ftc_call *call, int out, int in)
{
    return keep(k, FTC_HELD_DATATYPE, call->datatype) && keep(k, FTC_HELD_OPERATION, call->op) &&
           (!call->sides ||
            (keep_side(k, &call->sides->send, out) && keep_side(k, &call->sides->receive, in)));
}

/* Asked for once: while the communicator is there. */
static bool keep_neighbors(struct ftc_kept *kept, struct ftc_plan *plan)
{
    if (plan->neighbors)
        return true;
    plan->neighbors = &kept->neighbors;
    return ftc_neighbors_get(plan->call->comm, &kept->neighbors);
}

bool ftc_keep(struct ftc_kept *kept, struct ftc_plan *plan, struct ftc_sides *sides)
{
    const struct ftc_call *call = plan->call;
    int out = plan->comm->size, in = out;

    if (ftc_call_is_of_neighbors(call->kind)) {
        if (!keep_neighbors(kept, plan))
            return false;
        out = plan->neighbors->destinations;
        in = plan->neighbors->sources;
    } else if (ftc_plan_is_between(plan)) {
        out = in = plan->comm->remote_size;
    }
    kept->handle = calloc((size_t)out + (size_t)in + 4, sizeof *kept->handle);
    return kept->handle && keep_datatypes(kept, sides, out, in) &&
           keep_handles(kept, call, out, in);
}

void ftc_keep_no_more(struct ftc_kept *kept)
{
    for (int i = 0; i < kept->handles; i++)
        ftc_held_release(kept->handle[i].kind, kept->handle[i].handle);
    free(kept->handle);
    free(kept->datatypes);
    ftc_neighbors_free(&kept->neighbors);
}

/* ---- what is packed ---- */

void *ftc_parcel_room(struct ftc_plan *plan, size_t bytes)
{
    if (plan->parcel)
        return plan->parcel->given = calloc(1, bytes);
    return ftc_running_reserve(plan->comm, bytes) == 0 ? plan->comm->running->contribution : NULL;
}

const void *ftc_parcel_result(const struct ftc_plan *plan)
{
    return plan->parcel ? plan->parcel->taken : plan->comm->running->op.result.value;
}

int ftc_parcel_pack(struct ftc_parcel *parcel, struct ftc_plan *plan)
{
    plan->parcel = parcel;
    if (!plan->collective->contribute(plan))
        return ftc_error_no_memory();
    parcel->room = malloc(plan->travelling_bytes + 1);
    return parcel->room && ftc_slices_prepare(&parcel->slices, plan) ? MPI_SUCCESS
                                                                     : ftc_error_no_memory();
}

void *ftc_parcel_widen(struct ftc_plan *plan, size_t bytes)
{
    unsigned char *wider = realloc(plan->parcel->given, bytes);

    if (wider)
        plan->parcel->given = wider;
    return wider;
}

/* Instead of a value that has no room in the operation. */
static const void *say_too_large(struct ftc_plan *plan)
{
    void *value;

    if (ftc_running_reserve(plan->comm, plan->travelling_bytes) != 0)
        return NULL;
    value = plan->comm->running->contribution;
    ftc_blocks_begin(value);
    ftc_blocks_add(value, &plan->limit, plan->comm->rank, plan->limit.data_bytes + 1);
    return value;
}

const void *ftc_parcel_give(struct ftc_plan *plan)
{
    struct ftc_parcel *p = plan->parcel;

    if (p->slices.is_on && !ftc_blocks_are_too_large(p->given))
        return ftc_slices_give(&p->slices, plan, p->given);
    if (plan->is_composite && ftc_blocks_used_bytes(p->given) > plan->travelling_bytes)
        return say_too_large(plan);
    return p->given;
}

static int copy(struct ftc_plan *plan)
{
    const struct ftc_op *op = &plan->comm->running->op;
    size_t bytes = op->result.value ? ftc_op_used_bytes(op, op->result.value) : 0;

    if (bytes == 0)
        return MPI_SUCCESS;
    plan->parcel->taken = malloc(bytes);
    if (!plan->parcel->taken)
        return ftc_error_no_memory();
    memcpy(plan->parcel->taken, op->result.value, bytes);
    return MPI_SUCCESS;
}

static bool has_turned_out_too_large(const struct ftc_plan *plan)
{
    const void *value = plan->comm->running->op.result.value;

    return ftc_plan_is_of_unknown_size(plan) && value && ftc_blocks_are_too_large(value);
}

/* All ranks come to the same: it is the result of the operation. */
static int take_slices(struct ftc_plan *plan)
{
    struct ftc_parcel *p = plan->parcel;

    if (has_turned_out_too_large(plan)) /* in slices as well */
        return ftc_error_no_memory();
    plan->is_again = ftc_slices_take(&p->slices, plan);
    if (plan->is_again)
        return MPI_SUCCESS;
    p->taken = ftc_slices_join(&p->slices, plan);
    plan->travelling_bytes = p->taken ? ftc_blocks_used_bytes(p->taken) : 0;
    return p->taken ? MPI_SUCCESS : ftc_error_no_memory();
}

int ftc_parcel_take(struct ftc_plan *plan)
{
    struct ftc_parcel *p = plan->parcel;

    if (p->slices.is_on)
        return take_slices(plan);
    plan->is_again = p->slices.is_on = has_turned_out_too_large(plan);
    return plan->is_again ? MPI_SUCCESS : copy(plan);
}

int ftc_parcel_unpack(const struct ftc_plan *plan)
{
    return plan->parcel->taken || plan->posted ? plan->collective->deliver(plan) : MPI_SUCCESS;
}

void ftc_parcel_close(struct ftc_plan *plan)
{
    struct ftc_parcel *p = plan->parcel;

    if (!p)
        return;
    free(p->given);
    free(p->taken);
    free(p->room);
    ftc_slices_close(&p->slices);
}
