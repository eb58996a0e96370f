/* Blocks in the messages of the rounds' operations: a value of blocks (value/blocks.h), with the
 * next part of each rank's. Who is in the value has posted. */
#include "limits.h"
#include "posted_way.h"

#include "progress/running.h"

#include <assert.h>
#include <string.h>

/* Part of a rank's block, beside what the rank says. */
struct part {
    uint64_t left; /* after it */
    uint32_t note, flags;
    unsigned char data[];
};

/* A part's share of a value, however many ranks there are. */
enum { PART_LEAST = 64 };

static struct ftc_blocks_limit limit_of(int ranks)
{
    return (struct ftc_blocks_limit){
        .ranks = ranks,
        .data_bytes = (size_t)ranks * PART_LEAST + ftc_limits_part_bytes(),
    };
}

size_t ftc_posted_room(int ranks)
{
    const struct ftc_blocks_limit limit = limit_of(ranks);

    return ftc_blocks_room(&limit);
}

/* Returns the bytes of a part, which are equal on all ranks. */
static size_t part_bytes(const struct ftc_posted *p)
{
    int givers = p->round == 0 ? p->plan->comm->size : p->givers;

    return ftc_limits_part_bytes() / (size_t)givers + PART_LEAST - sizeof(struct part);
}

static bool is_in_parts(size_t bytes)
{
    (void)bytes;
    return true;
}

/* The next part of the own block. */
static void *post(struct ftc_posted *p)
{
    const struct ftc_blocks_limit limit = limit_of(p->plan->comm->size);
    size_t left = p->bytes - p->posted, most = part_bytes(p), bytes = left < most ? left : most;
    uint32_t flags = ftc_posted_flags(p);
    void *value = p->plan->comm->running->contribution;
    struct part *part;

    if (flags != 0)
        left = bytes = 0;
    ftc_blocks_begin(value);
    part = ftc_blocks_add(value, &limit, p->plan->comm->rank, sizeof *part + bytes);
    assert(part); /* all shares together have room */
    *part = (struct part){.left = left - bytes, .note = p->note, .flags = flags};
    if (bytes > 0)
        memcpy(part->data, p->given + p->posted, bytes);
    p->posted += bytes;
    return value;
}

static void combine(void *context, void *into, const void *from)
{
    const struct ftc_blocks_limit limit = limit_of(((struct ftc_plan *)context)->comm->size);

    ftc_blocks_join(&limit, into, from);
}

static void request(struct ftc_posted *p, struct ftc_loop_request *request)
{
    struct ftc_comm *c = p->plan->comm;

    if (p->round == 0) {
        p->has_memory = p->from != NULL;
        if (p->has_memory)
            ftc_posted_give(p);
    }
    *request = (struct ftc_loop_request){
        .call = p->plan->call,
        .kind = FTC_OP_ALLREDUCE,
        .value_bytes = ftc_posted_room(c->size),
        .contribution = ftc_running_reserve(c, ftc_posted_room(c->size)) == 0 ? post(p) : NULL,
        .combine = combine,
        .context = p->plan,
        .used_bytes = ftc_blocks_used_bytes,
    };
}

/* ---- behind the operation ---- */

/* From *@at on; what nobody could have posted is not there. */
static const struct part *next_part(const struct ftc_posted *p, size_t *at, int *rank,
                                    size_t *bytes)
{
    const struct ftc_comm *c = p->plan->comm;
    const void *value = ftc_blocks_within(c->running->op.result.value, ftc_posted_room(c->size));
    struct ftc_block b;

    while (value && ftc_blocks_next(value, at, &b)) {
        if (b.rank >= c->size || b.shown || b.bytes < sizeof(struct part))
            continue;
        *rank = b.rank;
        *bytes = b.bytes - sizeof(struct part);
        return (const struct part *)b.data;
    }
    return NULL;
}

static void hear(struct ftc_posted *p)
{
    const struct part *part;
    size_t at = 0, bytes;
    int rank;

    p->tally = (struct ftc_tally){0};
    p->givers = 0;
    while ((part = next_part(p, &at, &rank, &bytes)) != NULL) {
        ftc_tally_add(&p->tally, rank, part->flags, part->left);
        p->givers += part->left > 0;
    }
}

static void take(struct ftc_posted *p)
{
    const struct part *part;
    size_t at = 0, bytes;
    int rank;

    while ((part = next_part(p, &at, &rank, &bytes)) != NULL)
        if (ftc_posted_brings(p, rank))
            ftc_posted_take(p, rank,
                            &(struct ftc_posted_part){
                                .data = part->data,
                                .bytes = bytes,
                                .left = part->left,
                                .note = part->note,
                            });
}

static void close_nothing(struct ftc_posted *p)
{
    (void)p;
}

const struct ftc_posted_way ftc_posted_in_messages = {
    .is_in_parts = is_in_parts,
    .request = request,
    .hear = hear,
    .take = take,
    .close = close_nothing,
};
