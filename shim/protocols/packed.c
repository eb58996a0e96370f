#include "packed.h"

#include "limits.h"
#include "program/error.h"
#include "progress/running.h"
#include "system/copy.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *get_room(struct ftc_plan *plan, size_t bytes)
{
    struct ftc_packed *p = plan->packed;
    bool has_memory =
        bytes <= ftc_limits_memory_bytes() || bytes <= (size_t)ftc_library.settings.max_bytes;

    p->gives = true;
    p->given = has_memory ? malloc(bytes + 1) : NULL;
    p->bytes = p->given ? bytes : SIZE_MAX;
    return p->given;
}

int ftc_packed_make(struct ftc_packed *packed, struct ftc_plan *plan)
{
    plan->packed = packed;
    plan->room = get_room;
    return plan->arguments.refuses ? MPI_SUCCESS : plan->collective->give(plan);
}

int ftc_packed_give(struct ftc_plan *plan)
{
    const struct ftc_packed *p = plan->packed;
    void *to;

    if (plan->arguments.refuses) {
        plan->note = FTC_BLOCK_REFUSES;
        plan->room(plan, 0);
        return MPI_SUCCESS;
    }
    if (!p)
        return plan->collective->give(plan);
    if (p->gives && plan->takes_in_place) {
        plan->value = p->given;
        return MPI_SUCCESS;
    }
    to = p->gives ? plan->room(plan, p->bytes) : NULL;
    if (to && to != p->given)
        ftc_copy(to, p->given, p->bytes);
    return MPI_SUCCESS;
}

const void *ftc_packed_result(const struct ftc_plan *plan)
{
    const void *value = plan->packed ? plan->packed->taken : plan->comm->running->op.result.value;

    return plan->comes_in_blocks ? ftc_blocks_within(value, plan->travelling_bytes) : value;
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
    plan->packed->takes = true;
    return MPI_SUCCESS;
}

void ftc_packed_close(struct ftc_plan *plan)
{
    if (!plan->packed)
        return;
    free(plan->packed->given);
    free(plan->packed->taken);
}
