#include "mismatch.h"

#include "callsite.h"
#include "facts.h"
#include "monitor/mark.h"

#include <stdio.h>
#include <string.h>

enum { SPREAD_TRIES = 1000 }; /* for a ring that is full */

/* What a call says of itself, on whichever rank. */
struct description {
    enum ftc_call_kind kind;
    uint32_t seq, signature;
    uint64_t communicator_id;
    int64_t count;
    int32_t datatype, op, root;
    unsigned long return_address;
};

static struct ftc_board_activity *activity_of(uint32_t slot)
{
    return &ftc_library.board.shared->slot[slot].activity;
}

/* The library's lock is held: nobody else of this process counts. */
static void count_inside(struct ftc_board_activity *a, int change)
{
    uint32_t inside = atomic_load_explicit(&a->inside, memory_order_relaxed);

    atomic_store_explicit(&a->inside, inside + (uint32_t)change, memory_order_relaxed);
}

void ftc_mismatch_enter(const struct ftc_call *call, const struct ftc_comm *c, uint32_t signature)
{
    struct ftc_board_activity *a = activity_of(ftc_library.self);
    uint32_t version = atomic_load_explicit(&a->version, memory_order_relaxed);

    atomic_store_explicit(&a->version, version + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    count_inside(a, 1);
    atomic_store_explicit(&a->call, call->kind, memory_order_relaxed);
    atomic_store_explicit(&a->seq, c->seq, memory_order_relaxed);
    atomic_store_explicit(&a->signature, signature, memory_order_relaxed);
    atomic_store_explicit(&a->communicator_id, c->id, memory_order_relaxed);
    atomic_store_explicit(&a->count, call->count, memory_order_relaxed);
    atomic_store_explicit(&a->datatype, call->datatype, memory_order_relaxed);
    atomic_store_explicit(&a->op, call->op, memory_order_relaxed);
    atomic_store_explicit(&a->root, call->root, memory_order_relaxed);
    atomic_store_explicit(&a->return_address, (uintptr_t)call->return_address,
                          memory_order_relaxed);
    atomic_store_explicit(&a->version, version + 2, memory_order_release);
}

void ftc_mismatch_leave(void)
{
    count_inside(activity_of(ftc_library.self), -1);
}

/* False while its owner is writing it. */
static bool read_activity(uint32_t slot, struct description *d)
{
    const struct ftc_board_activity *a = activity_of(slot);
    uint32_t version = atomic_load_explicit(&a->version, memory_order_acquire);
    uint32_t kind = atomic_load_explicit(&a->call, memory_order_relaxed);

    *d = (struct description){
        .kind = kind < FTC_CALL_COUNT ? (enum ftc_call_kind)kind : FTC_CALL_NONE,
        .seq = atomic_load_explicit(&a->seq, memory_order_relaxed),
        .signature = atomic_load_explicit(&a->signature, memory_order_relaxed),
        .communicator_id = atomic_load_explicit(&a->communicator_id, memory_order_relaxed),
        .count = atomic_load_explicit(&a->count, memory_order_relaxed),
        .datatype = atomic_load_explicit(&a->datatype, memory_order_relaxed),
        .op = atomic_load_explicit(&a->op, memory_order_relaxed),
        .root = atomic_load_explicit(&a->root, memory_order_relaxed),
        .return_address = atomic_load_explicit(&a->return_address, memory_order_relaxed),
    };
    atomic_thread_fence(memory_order_acquire);
    return version % 2 == 0 && version == atomic_load_explicit(&a->version, memory_order_relaxed);
}

int ftc_mismatch_find(const struct ftc_comm *c)
{
    for (int i = 0; i < c->member_count; i++) {
        struct description d;

        if (i != c->self && read_activity(c->slot[c->member[i]], &d) &&
            d.communicator_id == c->id && d.seq == c->seq && d.signature != c->signature)
            return c->member[i];
    }
    return -1;
}

bool ftc_mismatch_is_in(const struct ftc_comm *c, int rank)
{
    uint32_t slot = c->slot[rank];
    struct description d;

    return read_activity(slot, &d) && d.communicator_id == c->id && d.seq == c->seq &&
           d.kind <= FTC_CALL_BCAST &&
           atomic_load_explicit(&activity_of(slot)->inside, memory_order_relaxed) > 0;
}

/* A message that belongs to the operation and has nobody's signature. */
void ftc_mismatch_spread(const struct ftc_comm *c)
{
    struct ftc_library *l = &ftc_library;
    struct ftc_message m = {.kind = FTC_MESSAGE_UP_CORRECTION};
    struct ftc_envelope envelope = {
        .communicator_id = c->id, .seq = c->seq, .signature = FTC_SIGNATURE_NONE};

    for (int i = 0; i < c->member_count; i++)
        for (int tries = 0; i != c->self && tries < SPREAD_TRIES; tries++)
            if (ftc_transport_send(&l->transport, c->slot[c->member[i]], &m, &envelope,
                                   l->settings.failure_info, 0))
                break;
}

static bool has_data(enum ftc_call_kind kind)
{
    return ftc_call_is_reduction(kind) || kind == FTC_CALL_BCAST;
}

static void write_call(char *text, size_t size, const struct description *d)
{
    char count[32] = "", op[32] = "", root[32] = "";
    const char *type = "";

    if (has_data(d->kind)) {
        snprintf(count, sizeof count, "count %lld, ", (long long)d->count);
        type = ftc_datatype_name(d->datatype);
    }
    if (ftc_call_is_reduction(d->kind))
        snprintf(op, sizeof op, ", %s", ftc_operation_name(d->op));
    if (ftc_call_has_root(d->kind))
        snprintf(root, sizeof root, ", root %d", d->root);
    snprintf(text, size, "%s(%s%s%s%s)", ftc_call_name(d->kind), count, type, op, root);
}

static void write_own(char *text, size_t size, const struct ftc_call *call)
{
    struct description d = {.kind = call->kind,
                            .count = call->count,
                            .datatype = call->datatype,
                            .op = call->op,
                            .root = call->root};
    char what[160], site[160];

    write_call(what, sizeof what, &d);
    ftc_callsite_name(call->return_address, site, sizeof site);
    snprintf(text, size, "%s at %s", what, site);
}

static void write_native(char *text, size_t size, int pid, const struct ftc_mark_call *call)
{
    char site[160];

    ftc_callsite_name_in(pid, ftc_callsite_beyond_mpi(pid, call->return_address, call->stack), site,
                         sizeof site);
    snprintf(text, size, "%s at %s, which native MPI carries out", ftc_call_name(call->kind), site);
}

static void write_call_of(char *text, size_t size, const struct ftc_comm *c, int rank, uint32_t seq)
{
    uint32_t slot = c->slot[rank];
    int pid = atomic_load(&ftc_library.board.shared->slot[slot].pid);
    struct ftc_mark_call native;
    struct description d;
    char what[160], site[160];

    if (read_activity(slot, &d) && d.communicator_id == c->id && d.seq == seq) {
        write_call(what, sizeof what, &d);
        ftc_callsite_name_in(pid, d.return_address, site, sizeof site);
        snprintf(text, size, "%s at %s", what, site);
    } else if (ftc_mark_collective(&ftc_library.board, slot, c->slot, c->size, &native)) {
        write_native(text, size, pid, &native);
    } else {
        snprintf(text, size, "something else");
    }
}

void ftc_mismatch_write_call(char *text, size_t size, const struct ftc_comm *c, int rank)
{
    write_call_of(text, size, c, rank, c->seq);
}

void ftc_mismatch_describe(const struct ftc_call *call, const struct ftc_comm *c, int other,
                           char *text, size_t size)
{
    char own[384], others[384];

    write_own(own, sizeof own, call);
    /* The operation is over here: its number was one less. */
    write_call_of(others, sizeof others, c, other, c->seq - 1);
    snprintf(text, size,
             "ftcoll: mismatched collective calls: rank %d called %s, rank %d called %s", c->rank,
             own, other, others);
}
