#include "aftermath.h"

#include "system/clock.h"

void ftc_aftermath_notice(struct ftc_board *board, uint32_t rank, uint32_t by, uint32_t call,
                          uint32_t seq)
{
    struct ftc_board_aftermath *a = &board->shared->rank[rank].aftermath;
    int32_t nobody = 0;

    if (!atomic_compare_exchange_strong(&a->noticed_by, &nobody, (int32_t)by + 1))
        return;
    atomic_store(&a->call, call);
    atomic_store(&a->seq, seq);
    atomic_store(&a->noticed_ns, ftc_clock_ns());
}

void ftc_aftermath_recovered(struct ftc_board *board, uint32_t rank, uint64_t now_ns)
{
    _Atomic uint64_t *last = &board->shared->rank[rank].aftermath.recovered_ns;
    uint64_t seen = atomic_load(last);

    while (seen < now_ns && !atomic_compare_exchange_weak(last, &seen, now_ns))
        ;
}

bool ftc_aftermath_of(const struct ftc_board *board, uint32_t rank, struct ftc_aftermath *copy)
{
    const struct ftc_board_aftermath *a = &board->shared->rank[rank].aftermath;
    int32_t noticed_by = atomic_load(&a->noticed_by);

    if (noticed_by == 0)
        return false;
    *copy = (struct ftc_aftermath){
        .noticed_by = noticed_by - 1,
        .call = atomic_load(&a->call),
        .seq = atomic_load(&a->seq),
        .noticed_ns = atomic_load(&a->noticed_ns),
        .recovered_ns = atomic_load(&a->recovered_ns),
    };
    return true;
}
