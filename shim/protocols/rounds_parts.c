#include "rounds_parts.h"

#include "limits.h"
#include "packed.h"
#include "pattern.h"
#include "system/copy.h"

#include <stdlib.h>

/* ---- given ---- */

static bool may_keep(struct ftc_rounds *p, size_t bytes)
{
    size_t most = ftc_limits_memory_bytes();

    if (bytes > most || p->kept_bytes > most - bytes)
        return false;
    p->kept_bytes += bytes;
    return true;
}

static unsigned char *own_block(struct ftc_rounds *p, size_t bytes)
{
    if (may_keep(p, bytes))
        p->own = malloc(bytes > 0 ? bytes : 1);
    return p->own;
}

void *ftc_rounds_block(struct ftc_rounds *p, size_t bytes)
{
    unsigned char *block;

    if (!p->has_memory)
        return NULL;
    block = p->carrier->is_in_parts(bytes) ? own_block(p, bytes) : p->carrier->block(p, bytes);
    if (!block) {
        p->has_memory = false;
        return NULL;
    }
    p->given = block;
    p->bytes = bytes;
    return block;
}

/* Packed by the program's thread (packed.h). */
static void give_packed(struct ftc_rounds *p)
{
    const struct ftc_plan *plan = p->plan;
    struct ftc_block block;
    size_t at = 0;
    void *to;

    if (!ftc_blocks_find(plan->packed->given, plan->comm->rank, &at, &block)) {
        p->has_memory = !ftc_blocks_are_too_large(plan->packed->given);
        return;
    }
    p->note = block.note;
    if (p->carrier->is_in_parts(block.bytes)) {
        p->has_memory = may_keep(p, block.bytes);
        p->given = block.data;
        p->bytes = block.bytes;
        return;
    }
    to = ftc_rounds_block(p, block.bytes);
    if (to && block.bytes > 0)
        ftc_copy(to, block.data, block.bytes);
}

void ftc_rounds_give(struct ftc_rounds *p)
{
    if (p->plan->packed)
        give_packed(p);
    else if (!p->plan->collective->contribute(p->plan))
        p->has_memory = false;
}

uint32_t ftc_rounds_flags(const struct ftc_rounds *p)
{
    return (p->has_memory ? 0 : FTC_ROUND_NO_MEMORY) | (p->lacks_place ? FTC_ROUND_NO_PLACE : 0);
}

/* ---- taken ---- */

bool ftc_rounds_brings(const struct ftc_rounds *p, int rank)
{
    return ftc_rank_set_has(p->status.who, (uint32_t)rank) && !p->from[rank].is_whole;
}

static bool widen(struct ftc_rounds *p, struct ftc_reassembly *s, size_t room)
{
    return may_keep(p, room - s->room) && ftc_reassembly_widen(s, room);
}

/* For as much as is likely to come, if there is memory for that, or for @bytes more. */
static bool make_room(struct ftc_rounds *p, struct ftc_reassembly *s, size_t bytes, size_t likely)
{
    size_t room = s->bytes + bytes;

    return ftc_reassembly_has_room(s, bytes) || (likely > room && widen(p, s, likely)) ||
           widen(p, s, room);
}

static void keep(struct ftc_rounds *p, struct ftc_rounds_from *f,
                 const struct ftc_rounds_part *part)
{
    size_t all = f->kept.bytes + part->bytes + part->left + 1, likely = 2 * f->kept.room;

    if (likely > all || !ftc_call_is_addressed(p->plan->call->kind))
        likely = all;
    if (!make_room(p, &f->kept, part->bytes + 1, likely)) {
        p->has_memory = false;
        return;
    }
    ftc_reassembly_add(&f->kept, p->plan, part->data, part->bytes);
    f->data = f->kept.data;
    f->bytes = f->kept.bytes;
}

void ftc_rounds_take(struct ftc_rounds *p, int rank, const struct ftc_rounds_part *part)
{
    struct ftc_rounds_from *f = &p->from[rank];

    f->note = part->note;
    f->is_whole = part->left == 0;
    if (part->stays && f->is_whole && !p->plan->packed) {
        f->data = part->data;
        f->bytes = part->bytes;
    } else if (ftc_pattern_needs(p->plan, rank)) {
        keep(p, f, part);
    }
}

struct ftc_piece ftc_rounds_find(const struct ftc_rounds *p, int rank)
{
    const struct ftc_rounds_from *f = &p->from[rank];

    if (!f->is_whole)
        return (struct ftc_piece){NULL, 0};
    return f->data ? (struct ftc_piece){f->data, f->bytes} : (struct ftc_piece){"", 0};
}

uint32_t ftc_rounds_note(const struct ftc_rounds *p, int rank)
{
    return p->from[rank].note;
}
