#include "packed.h"

#include "program/error.h"
#include "progress/running.h"

#include <stdlib.h>
#include <string.h>

void *ftc_packed_room(struct ftc_plan *plan, size_t bytes)
{
    if (plan->packed)
        return plan->packed->given = calloc(1, bytes);
    return ftc_running_reserve(plan->comm, bytes) == 0 ? plan->comm->running->contribution : NULL;
}

const void *ftc_packed_result(const struct ftc_plan *plan)
{
    return plan->packed ? plan->packed->taken : plan->comm->running->op.result.value;
}

int ftc_packed_make(struct ftc_packed *packed, struct ftc_plan *plan)
{
    plan->packed = packed;
    if (!plan->collective->contribute(plan))
        return ftc_error_no_memory();
    packed->room = malloc(plan->travelling_bytes + 1);
    return packed->room ? MPI_SUCCESS : ftc_error_no_memory();
}

void *ftc_packed_widen(struct ftc_plan *plan, size_t bytes)
{
    unsigned char *wider = realloc(plan->packed->given, bytes);

    if (wider)
        plan->packed->given = wider;
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

const void *ftc_packed_give(struct ftc_plan *plan)
{
    struct ftc_packed *p = plan->packed;

    if (plan->is_composite && ftc_blocks_used_bytes(p->given) > plan->travelling_bytes)
        return say_too_large(plan);
    return p->given;
}

int ftc_packed_take(struct ftc_plan *plan)
{
    const struct ftc_op *op = &plan->comm->running->op;
    size_t bytes = op->result.value ? ftc_op_used_bytes(op, op->result.value) : 0;

    if (bytes == 0)
        return MPI_SUCCESS;
    plan->packed->taken = malloc(bytes);
    if (!plan->packed->taken)
        return ftc_error_no_memory();
    memcpy(plan->packed->taken, op->result.value, bytes);
    return MPI_SUCCESS;
}

int ftc_packed_unpack(const struct ftc_plan *plan)
{
    return plan->packed->taken || plan->rounds ? plan->collective->deliver(plan) : MPI_SUCCESS;
}

void ftc_packed_close(struct ftc_plan *plan)
{
    struct ftc_packed *p = plan->packed;

    if (!p)
        return;
    free(p->given);
    free(p->taken);
    free(p->room);
}
