/* A broadcast is an allreduce to which only the root has data to give (value/broadcast.h). */
#include "value/broadcast.h"
#include "kinds.h"
#include "program/error.h"
#include "protocols/composite.h"
#include "protocols/exposed.h"
#include "protocols/packed.h"
#include "protocols/pipelined.h"

static bool needs_mpi(const struct ftc_plan *plan)
{
    return !ftc_is_packed(plan->call->datatype);
}

static bool is_root(const struct ftc_plan *plan)
{
    return plan->call->root == plan->comm->rank;
}

/* As a block of the root's (rounds.h). */
static const void *contribute_block(struct ftc_plan *plan)
{
    const struct ftc_call *call = plan->call;
    void *value = ftc_composite_begin(plan), *data;

    if (!value || !is_root(plan))
        return value;
    data = ftc_composite_block(plan, &value, plan->arguments.value_bytes);
    if (data && ftc_pack(data, call->recvbuf, call->count, &plan->arguments.facts) != MPI_SUCCESS)
        return NULL;
    return value;
}

/* Where the root's data go. */
static unsigned char *room_of_root(const struct ftc_plan *plan, struct ftc_broadcast_value *value)
{
    uint32_t name;
    unsigned char *exposed = ftc_exposed_room(plan, plan->arguments.value_bytes, &name);

    if (!exposed)
        return value->data;
    value->exposed = (uint16_t)name;
    return exposed;
}

static const void *contribute(struct ftc_plan *plan)
{
    const struct ftc_call *call = plan->call;
    struct ftc_broadcast_value *value;

    if (ftc_protocol_is_rounds(plan->protocol))
        return contribute_block(plan);
    plan->travelling_bytes = ftc_broadcast_value_bytes(plan->arguments.value_bytes);
    value = ftc_packed_room(plan, plan->travelling_bytes);
    if (!value)
        return NULL;
    ftc_broadcast_begin(value, is_root(plan), plan->arguments.value_bytes);
    if (value->has_data && ftc_pack(room_of_root(plan, value), call->recvbuf, call->count,
                                    &plan->arguments.facts) != MPI_SUCCESS)
        return NULL;
    return value;
}

static void combine(void *plan, void *into, const void *from)
{
    ftc_broadcast_combine(&((struct ftc_plan *)plan)->travelling_bytes, into, from);
}

static struct ftc_piece data_of_root(const struct ftc_plan *plan)
{
    const struct ftc_broadcast_value *value;
    size_t at = 0;

    if (plan->rounds)
        return ftc_composite_find(plan, plan->call->root, &at);
    value = ftc_packed_result(plan);
    if (!value->has_data)
        return (struct ftc_piece){NULL, 0};
    if (value->exposed)
        return ftc_exposed_find(plan, plan->call->root, value->bytes, value->exposed);
    return (struct ftc_piece){value->data, value->bytes};
}

static int deliver(const struct ftc_plan *plan)
{
    const struct ftc_call *call = plan->call;
    const struct ftc_piece piece = data_of_root(plan);

    if (!piece.data)
        return ftc_composite_without_root(plan);
    if (is_root(plan))
        return MPI_SUCCESS;
    if (piece.bytes != plan->arguments.value_bytes)
        return ftc_error_truncated(call, call->root, piece.bytes, plan->arguments.value_bytes);
    return ftc_unpack(call->recvbuf, piece.data, call->count, &plan->arguments.facts);
}

const struct ftc_collective ftc_collective_broadcast = {
    .pipelined = &ftc_pipelined_broadcast,
    .needs_mpi = needs_mpi,
    .contribute = contribute,
    .combine = combine,
    .used_bytes = ftc_broadcast_used_bytes,
    .deliver = deliver,
    .without_root = ftc_composite_without_root,
};
