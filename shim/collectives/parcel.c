#include "parcel.h"

#include "program/error.h"
#include "progress/running.h"

#include <stdlib.h>
#include <string.h>

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
    return parcel->room ? MPI_SUCCESS : ftc_error_no_memory();
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

    if (plan->is_composite && ftc_blocks_used_bytes(p->given) > plan->travelling_bytes)
        return say_too_large(plan);
    return p->given;
}

int ftc_parcel_take(struct ftc_plan *plan)
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

int ftc_parcel_unpack(const struct ftc_plan *plan)
{
    return plan->parcel->taken || plan->rounds ? plan->collective->deliver(plan) : MPI_SUCCESS;
}

void ftc_parcel_close(struct ftc_plan *plan)
{
    struct ftc_parcel *p = plan->parcel;

    if (!p)
        return;
    free(p->given);
    free(p->taken);
    free(p->room);
}
