#include "living_members.h"

#include "board/rank_state.h"
#include "error.h"
#include "progress/execute.h"
#include "progress/mismatch.h"
#include "progress/recovery.h"
#include "system/hash.h"

static void add(void *unused, void *into, const void *from)
{
    (void)unused;
    *(uint32_t *)into += *(const uint32_t *)from;
}

static int count_members(const struct ftc_call *call, struct ftc_comm *c, uint32_t own,
                         uint32_t *count)
{
    struct ftc_loop_request request = {
        .call = call,
        .kind = FTC_OP_ALLREDUCE,
        .value_bytes = sizeof own,
        .contribution = &own,
        .combine = add,
    };
    enum ftc_loop_outcome outcome;
    int rv;

    ftc_mismatch_enter(call, c, ftc_signature(ftc_hash_mix(c->id, call->kind)));
    outcome = ftc_execute(c, &request);
    ftc_mismatch_leave();
    rv = ftc_error_of(call, c, outcome);
    if (rv == MPI_SUCCESS)
        *count = *(const uint32_t *)c->running->op.result.value;
    if (outcome != FTC_LOOP_NO_MEMORY)
        ftc_recovery_end(c, rv != MPI_SUCCESS);
    if (outcome == FTC_LOOP_DONE)
        ftc_comm_exclude(c, c->running->op.result.failed);
    return rv;
}

int ftc_living_members_count(const struct ftc_call *call, struct ftc_comm *c, bool is_counted,
                             uint32_t *count)
{
    int rv;

    ftc_library_lock();
    rv = count_members(call, c, is_counted, count);
    ftc_library_unlock();
    return rv;
}

bool ftc_death_watch_any_dead(void *watch)
{
    struct ftc_death_watch *w = watch;
    uint32_t deaths = ftc_board_deaths(&ftc_library.board);

    if (deaths == w->deaths_seen)
        return w->any_dead;
    w->deaths_seen = deaths;
    for (int rank = 0; rank < w->comm->size; rank++)
        if (ftc_board_is_dead(&ftc_library.board, w->comm->world[rank]))
            w->any_dead = true;
    return w->any_dead;
}
