#include "recovery_record.h"

#include "rank_state.h"
#include "system/clock.h"

/* Claims the record for rank @by. Returns false if another rank has written it, or has claimed it
 * and lives. A rank that died before it had written the record loses its claim. */
static bool claim(const struct ftc_board *board, _Atomic int32_t *noticed_by, uint32_t by)
{
    int32_t seen = 0;

    while (!atomic_compare_exchange_strong(noticed_by, &seen, -(int32_t)by - 1)) {
        uint32_t other = (uint32_t)(-1 - seen);

        if (seen >= 0 || other >= board->geometry.ranks || !ftc_board_is_dead(board, other))
            return false;
    }
    return true;
}

static void store(struct ftc_board_operation *o, const struct ftc_operation_id *in)
{
    atomic_store(&o->communicator_id, in->communicator_id);
    atomic_store(&o->call, in->call);
    atomic_store(&o->seq, in->seq);
}

static struct ftc_operation_id load(const struct ftc_board_operation *o)
{
    return (struct ftc_operation_id){.communicator_id = atomic_load(&o->communicator_id),
                                     .call = atomic_load(&o->call),
                                     .seq = atomic_load(&o->seq)};
}

/* Writes the record and then @noticed_by, so that no reader takes half a record. */
void ftc_recovery_record_notice(struct ftc_board *board, uint32_t rank, uint32_t by,
                                const struct ftc_operation_id *in)
{
    struct ftc_board_recovery *a = &board->shared->rank[rank].recovery;

    if (!claim(board, &a->noticed_by, by))
        return;
    store(&a->met_in, in);
    atomic_store(&a->noticed_ns, ftc_clock_ns());
    atomic_store(&a->noticed_by, (int32_t)by + 1);
}

/* Removes the record. Any rank that has ended @in may do so, because all have the same result. */
void ftc_recovery_record_take_back(struct ftc_board *board, uint32_t rank,
                                   const struct ftc_operation_id *in)
{
    _Atomic int32_t *noticed_by = &board->shared->rank[rank].recovery.noticed_by;
    int32_t seen = atomic_load(noticed_by);

    if (seen > 0 && ftc_recovery_record_is_of(board, rank, in))
        atomic_compare_exchange_strong(noticed_by, &seen, 0);
}

/* Checks @in, because a survivor that has ended the operation of the record may meet the death in a
 * later operation, which fails. */
void ftc_recovery_record_fail(struct ftc_board *board, uint32_t rank,
                              const struct ftc_operation_id *in)
{
    if (ftc_recovery_record_is_of(board, rank, in))
        atomic_store(&board->shared->rank[rank].recovery.is_error, true);
}

void ftc_recovery_record_set_error(struct ftc_board *board, uint32_t self,
                                   const struct ftc_operation_id *in)
{
    store(&board->shared->rank[self].failed_in, in);
}

struct ftc_operation_id ftc_recovery_record_error(const struct ftc_board *board, uint32_t rank)
{
    return load(&board->shared->rank[rank].failed_in);
}

void ftc_recovery_record_recovered(struct ftc_board *board, uint32_t rank, uint64_t now_ns)
{
    _Atomic uint64_t *last = &board->shared->rank[rank].recovery.recovered_ns;
    uint64_t seen = atomic_load(last);

    while (seen < now_ns && !atomic_compare_exchange_weak(last, &seen, now_ns))
        ;
}

void ftc_recovery_record_settle(struct ftc_board *board, uint32_t self, uint32_t deaths,
                                uint64_t now_ns)
{
    atomic_store(&board->shared->rank[self].settled_ns, now_ns);
    atomic_store(&board->shared->rank[self].settled, deaths);
    ftc_board_signal_update(board);
}

bool ftc_recovery_record_is_settled(const struct ftc_board *board, uint32_t deaths,
                                    uint64_t *when_ns)
{
    *when_ns = 0;
    for (uint32_t i = 0; i < board->geometry.ranks; i++) {
        const struct ftc_board_rank *s = &board->shared->rank[i];
        enum ftc_rank_state state = ftc_board_state(board, i);
        bool is_settled = atomic_load(&s->settled) >= deaths;

        if (state == FTC_RANK_FAILED)
            continue;
        if (!is_settled && state != FTC_RANK_FINALIZED)
            return false;
        if (is_settled && atomic_load(&s->settled_ns) > *when_ns)
            *when_ns = atomic_load(&s->settled_ns);
    }
    return *when_ns != 0;
}

bool ftc_recovery_record_read(const struct ftc_board *board, uint32_t rank,
                              struct ftc_recovery_record *copy)
{
    const struct ftc_board_recovery *a = &board->shared->rank[rank].recovery;
    int32_t noticed_by = atomic_load(&a->noticed_by);

    if (noticed_by < 1 || (uint32_t)noticed_by > board->geometry.ranks)
        return false;
    *copy = (struct ftc_recovery_record){
        .noticed_by = noticed_by - 1,
        .met_in = load(&a->met_in),
        .noticed_ns = atomic_load(&a->noticed_ns),
        .recovered_ns = atomic_load(&a->recovered_ns),
        .is_error = atomic_load(&a->is_error) != 0,
    };
    return true;
}

bool ftc_recovery_record_is_of(const struct ftc_board *board, uint32_t rank,
                               const struct ftc_operation_id *in)
{
    struct ftc_recovery_record a;

    return ftc_recovery_record_read(board, rank, &a) &&
           a.met_in.communicator_id == in->communicator_id && a.met_in.call == in->call &&
           a.met_in.seq == in->seq;
}
