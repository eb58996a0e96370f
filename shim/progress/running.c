#include "running.h"

#include "board/presence.h"
#include "board/publication.h"
#include "unexpected.h"
#include "value/rank_set.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    CAPACITY_MIN = 64,
    CACHE_LINE = 64,
    MULTICAST_BYTES_MAX =
        64 * 1024, /* bytes of all copies that ranks read if each rank sends to all */
};

int ftc_running_open(struct ftc_comm *c)
{
    c->running = calloc(1, sizeof *c->running);
    return c->running ? ftc_multicast_open(&c->running->multicast, c->size) : -ENOMEM;
}

static void release_room(struct ftc_running *r)
{
    free(r->op_storage);
    free(r->actions.send);
    free(r->contribution);
    free(r->published_value);
    r->op_storage = NULL;
    r->actions.send = NULL;
    r->contribution = r->published_value = NULL;
}

void ftc_running_close(struct ftc_comm *c)
{
    ftc_unexpected_drop(c->id);
    release_room(c->running);
    ftc_multicast_close(&c->running->multicast);
    free(c->running->contributors);
    free(c->running);
}

void ftc_running_note_contributors(struct ftc_comm *c, const uint64_t *who)
{
    struct ftc_running *r = c->running;

    if (!r->contributors)
        r->contributors = calloc((size_t)c->size, sizeof *r->contributors);
    r->has_contributors = r->contributors != NULL;
    for (int rank = 0; r->has_contributors && rank < c->size; rank++)
        r->contributors[rank] = ftc_rank_set_has(who, (uint32_t)rank);
}

const struct ftc_exchange_plan *ftc_running_exchange_plan(const struct ftc_comm *c,
                                                          size_t value_bytes)
{
    size_t n = (size_t)c->member_count;
    bool is_small =
        value_bytes <= FTC_MULTICAST_VALUE_BYTES && n * n * value_bytes <= MULTICAST_BYTES_MAX;

    return is_small ? &c->running->small_plan : &c->running->large_plan;
}

/* Makes the plans of the exchange. With fewer cores than ranks, an allreduce on one host takes as
 * long as the ranks need to take turns. Values that each rank sends to all, or that a leader
 * collects, need one turn of each rank; recursive doubling needs several. All members must have the
 * same plan, so it cannot depend on which cores a rank shares on other hosts. */
static void make_plans(struct ftc_comm *c)
{
    bool is_crowded = ftc_presence_is_crowded(&ftc_library.board);
    struct ftc_running *r = c->running;

    ftc_exchange_plan_make(&r->small_plan, &c->topology.hosts,
                           is_crowded ? FTC_EXCHANGE_MULTICAST : FTC_EXCHANGE_BY_ALL,
                           c->member_count, c->own_member);
    ftc_exchange_plan_make(&r->large_plan, &c->topology.hosts,
                           is_crowded ? FTC_EXCHANGE_COLLECT : FTC_EXCHANGE_BY_ALL, c->member_count,
                           c->own_member);
}

static size_t op_storage_bytes(const struct ftc_comm *c, size_t capacity)
{
    const struct ftc_running *r = c->running;
    size_t multicast = capacity < FTC_MULTICAST_VALUE_BYTES ? capacity : FTC_MULTICAST_VALUE_BYTES;
    size_t small = ftc_op_storage_bytes(&c->topology, r->small_plan.count, multicast);
    size_t large = ftc_op_storage_bytes(&c->topology, r->large_plan.count, capacity);
    size_t bytes = small > large ? small : large;

    return (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

static bool has_room(const struct ftc_comm *c, size_t value_bytes)
{
    const struct ftc_running *r = c->running;

    return r->op_storage && value_bytes <= r->value_capacity && r->numbering == c->numbering;
}

/* Allocates the memory, outside of the code path of operations that have it already. */
static __attribute__((noinline)) int make_room(struct ftc_comm *c, size_t value_bytes)
{
    size_t capacity = value_bytes < CAPACITY_MIN ? CAPACITY_MIN : value_bytes;
    struct ftc_running *r = c->running;
    int sends;

    assert(ftc_publication_stride(value_bytes) <= ftc_library.board.geometry.entry_stride_bytes);
    assert(ftc_transport_message_stride(value_bytes) <=
           ftc_library.board.geometry.message_stride_bytes);
    sends = ftc_op_actions_capacity(&c->topology, ftc_library.settings.correction.d);
    release_room(r);
    make_plans(c);
    r->op_storage = aligned_alloc(CACHE_LINE, op_storage_bytes(c, capacity));
    r->actions = (struct ftc_actions){.send = calloc((size_t)sends, sizeof *r->actions.send),
                                      .capacity = sends};
    r->contribution = calloc(1, capacity);
    r->published_value = calloc(1, capacity);
    if (!r->op_storage || !r->actions.send || !r->contribution || !r->published_value) {
        release_room(r); /* all or nothing */
        return -ENOMEM;
    }
    r->value_capacity = capacity;
    r->numbering = c->numbering;
    return 0;
}

bool ftc_running_expects(const struct ftc_comm *c, int member)
{
    const struct ftc_running *r = c->running;

    if (!r->prelude)
        return ftc_op_expects(&r->op, member);
    return r->prelude->expects && r->prelude->expects(r->prelude, member);
}

int ftc_running_reserve(struct ftc_comm *c, size_t value_bytes)
{
    assert(!c->running->active);
    return has_room(c, value_bytes) ? 0 : make_room(c, value_bytes);
}
