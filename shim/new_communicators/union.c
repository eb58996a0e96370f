#include "union.h"

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

static uint32_t signature_of(enum ftc_call_kind kind, size_t bytes)
{
    return ftc_signature(ftc_hash_mix(ftc_hash_mix(FTC_HASH_START, kind), bytes));
}

void ftc_union_request(struct ftc_union *u, struct ftc_drive_request *request)
{
    size_t room = ftc_broadcast_value_bytes((size_t)ftc_library.settings.max_bytes);
    size_t left = u->size - u->done;

    u->piece = left < room ? left : room;
    *request = (struct ftc_drive_request){
        .call = u->call,
        .kind = FTC_OP_ALLREDUCE,
        .value_bytes = u->piece,
        .contribution = u->table + u->done,
        .combine = combine,
        .context = &u->piece,
    };
    ftc_mismatch_enter(u->call, u->comm, signature_of(u->call->kind, u->piece));
}

int ftc_union_take(struct ftc_union *u, enum ftc_drive_outcome outcome)
{
    const struct ftc_result *result = &u->comm->running->op.result;
    int rv;

    ftc_mismatch_leave();
    rv = ftc_error_of(u->call, u->comm, outcome);
    if (rv == MPI_SUCCESS)
        memcpy(u->table + u->done, result->value, u->piece);
    if (outcome != FTC_DRIVE_NO_MEMORY)
        ftc_recovery_end(u->comm, rv != MPI_SUCCESS);
    if (outcome == FTC_DRIVE_DONE)
        ftc_comm_exclude(u->comm, result->failed);
    u->done += u->piece;
    return rv;
}

int ftc_union_of(const struct ftc_call *call, struct ftc_comm *c, void *table, size_t bytes)
{
    struct ftc_union u = {.call = call, .comm = c, .table = table, .size = bytes};
    struct ftc_drive_request request;
    int rv = MPI_SUCCESS;

    ftc_library_lock();
    while (!ftc_union_is_over(&u) && rv == MPI_SUCCESS) {
        if (c->running->first)
            ftc_queue_complete(c);
        ftc_union_request(&u, &request);
        rv = ftc_union_take(&u, ftc_execute(c, &request));
    }
    ftc_library_unlock();
    return rv;
}
