#include "rounds.h"

#include <assert.h>

/* ---- steps ---- */

static enum ftc_rounds_step following(const struct ftc_rounds_progress *p)
{
    switch (p->step) {
    case FTC_ROUNDS_REGION:
        return FTC_ROUNDS_WRITE;
    case FTC_ROUNDS_WRITE:
        return FTC_ROUNDS_VOTE;
    case FTC_ROUNDS_VOTE:
        return FTC_ROUNDS_TAKE;
    case FTC_ROUNDS_TAKE:
        return p->is_again ? FTC_ROUNDS_WRITE : FTC_ROUNDS_READ;
    case FTC_ROUNDS_READ:
        return FTC_ROUNDS_LEAVE;
    case FTC_ROUNDS_LEAVE:
    case FTC_ROUNDS_OVER:
        break;
    }
    return FTC_ROUNDS_OVER;
}

void ftc_rounds_next(struct ftc_rounds_progress *p)
{
    assert(p->step != FTC_ROUNDS_OVER);
    if (p->step == FTC_ROUNDS_TAKE)
        p->round++;
    p->step = following(p);
}

void ftc_rounds_hear(struct ftc_rounds_progress *p, uint64_t left)
{
    assert(p->step == FTC_ROUNDS_VOTE);
    p->is_again = left > 0;
    ftc_rounds_next(p);
}

void ftc_rounds_end(struct ftc_rounds_progress *p)
{
    assert(p->step != FTC_ROUNDS_TAKE);
    assert(p->step != FTC_ROUNDS_READ);
    p->step = p->step == FTC_ROUNDS_REGION || p->step == FTC_ROUNDS_OVER ? FTC_ROUNDS_OVER
                                                                         : FTC_ROUNDS_LEAVE;
}

/* ---- the own block ---- */

struct ftc_rounds_piece ftc_rounds_write(struct ftc_rounds_progress *p,
                                         const struct ftc_rounds_limits *limits)
{
    struct ftc_rounds_piece piece = {.from = p->written, .bytes = ftc_rounds_left(p)};

    assert(p->step == FTC_ROUNDS_WRITE);
    if (ftc_rounds_is_in_parts(limits, p->bytes) && piece.bytes > limits->part_bytes)
        piece.bytes = limits->part_bytes;
    p->written += piece.bytes;
    piece.left = ftc_rounds_left(p);
    return piece;
}

struct ftc_rounds_area ftc_rounds_area(const struct ftc_rounds_limits *limits, uint32_t round)
{
    return (struct ftc_rounds_area){
        .at = (uint64_t)ftc_rounds_half(round) * limits->part_bytes,
        .most_bytes = round == 0 ? limits->whole_bytes : limits->part_bytes,
    };
}

/* ---- the blocks of other ranks ---- */

bool ftc_rounds_wants(const struct ftc_rounds_source *s, bool has_written)
{
    return has_written && !s->is_whole;
}

void ftc_rounds_got(const struct ftc_rounds_progress *p, struct ftc_rounds_source *s, uint64_t left)
{
    assert(p->step == FTC_ROUNDS_TAKE);
    s->is_whole = left == 0;
    s->stays = s->is_whole && p->round == 0;
}

/* ---- memory ---- */

void ftc_rounds_leave(struct ftc_rounds_region *region, uint32_t *reader, int readers)
{
    assert(region->is_taken);
    region->is_left = true;
    region->reader = reader;
    region->readers = readers;
}

static bool is_reading(const struct ftc_rounds_world *world, void *context, uint32_t reader)
{
    uint32_t shown;

    return world->shows(context, reader, &shown) && !(shown & FTC_ROUNDS_HAS_READ) &&
           !world->is_dead(context, reader);
}

static bool are_reading(struct ftc_rounds_region *region, const struct ftc_rounds_world *world,
                        void *context)
{
    while (region->readers > 0 && !is_reading(world, context, region->reader[region->readers - 1]))
        region->readers--;
    return region->readers > 0;
}

bool ftc_rounds_is_free(struct ftc_rounds_region *region, const struct ftc_rounds_world *world,
                        void *context)
{
    return !region->is_taken || (region->is_left && !are_reading(region, world, context));
}
