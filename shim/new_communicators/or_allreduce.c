#include "or_allreduce.h"

#include "program/error.h"
#include "progress/execute.h"
#include "progress/mismatch.h"
#include "progress/queue.h"
#include "progress/recovery.h"
#include "system/hash.h"
#include "value/broadcast.h"

#include <string.h>

static void combine(void *context, void *into, const void *from)
{
    const size_t *bytes = context;
    const unsigned char *source = from;
    unsigned char *target = into;

    for (size_t i = 0; i < *bytes; i++)
        target[i] |= source[i];
}

static int unite(const struct ftc_call *call, struct ftc_comm *c, void *piece, size_t bytes)
{
    const struct ftc_result *result = &c->running->op.result;
    struct ftc_loop_request request = {.call = call,
                                       .kind = FTC_OP_ALLREDUCE,
                                       .value_bytes = bytes,
                                       .contribution = piece,
                                       .combine = combine,
                                       .context = &bytes};
    enum ftc_loop_outcome outcome;
    int rv;

    ftc_mismatch_enter(
        call, c, ftc_signature(ftc_hash_mix(ftc_hash_mix(FTC_HASH_START, call->kind), bytes)));
    outcome = ftc_execute(c, &request);
    ftc_mismatch_leave();
    rv = ftc_error_of(call, c, outcome);
    if (rv == MPI_SUCCESS)
        memcpy(piece, result->value, bytes);
    if (outcome != FTC_LOOP_NO_MEMORY)
        ftc_recovery_end(c, rv != MPI_SUCCESS);
    if (outcome == FTC_LOOP_DONE)
        ftc_comm_exclude(c, result->failed);
    return rv;
}

int ftc_or_allreduce(const struct ftc_call *call, struct ftc_comm *c, void *table, size_t bytes)
{
    size_t room = ftc_broadcast_value_bytes((size_t)ftc_library.settings.max_bytes), piece;
    int rv = MPI_SUCCESS;

    ftc_library_lock();
    for (size_t done = 0; done < bytes && rv == MPI_SUCCESS; done += piece) {
        piece = bytes - done < room ? bytes - done : room;
        if (c->running->first)
            ftc_queue_complete(c);
        rv = unite(call, c, (unsigned char *)table + done, piece);
    }
    ftc_library_unlock();
    return rv;
}
