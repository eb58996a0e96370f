/* Broadcast: an allreduce to which only the root gives data, so that all survivors agree whether
 * there are any (value/broadcast.h). */
#include "program/error.h"
#include "protocols/pipelined.h"

static bool needs_mpi(const struct ftc_plan *plan)
{
    return !ftc_is_packed(plan->call->datatype);
}

static int give(struct ftc_plan *plan)
{
    const struct ftc_call *call = plan->call;
    void *to = ftc_plan_is_root(plan) ? ftc_give(plan, plan->arguments.value_bytes) : NULL;

    return to ? ftc_pack(to, call->recvbuf, call->count, &plan->arguments.facts) : MPI_SUCCESS;
}

static int take(const struct ftc_plan *plan)
{
    const struct ftc_call *call = plan->call;
    size_t room = plan->arguments.value_bytes, at = 0;
    struct ftc_piece piece;

    if (ftc_plan_is_root(plan))
        return MPI_SUCCESS;
    piece = ftc_find(plan, call->root, &at);
    if (!piece.data)
        return ftc_error_dead_root(call);
    if (piece.bytes != room)
        return ftc_error_truncated(call, call->root, piece.bytes, room);
    return ftc_unpack(call->recvbuf, piece.data, call->count, &plan->arguments.facts);
}

const struct ftc_collective ftc_collective_broadcast = {
    .pipelined = &ftc_pipelined_broadcast,
    .gives_alone = true,
    .needs_mpi = needs_mpi,
    .give = give,
    .take = take,
};
