#include "rounds.h"

#include "detector/silence.h"
#include "limits.h"
#include "packed.h"
#include "pattern.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- given ---- */

static bool may_keep(struct ftc_rounds *p, size_t bytes)
{
    size_t most = ftc_limits_memory_bytes();

    if (bytes > most || p->kept_bytes > most - bytes)
        return false;
    p->kept_bytes += bytes;
    return true;
}

/* Returns the packed data if there are any. */
unsigned char *ftc_rounds_own_block(struct ftc_rounds *p, size_t bytes)
{
    if (!may_keep(p, bytes))
        return NULL;
    if (p->plan->packed && p->plan->packed->gives)
        return p->plan->packed->given;
    return p->own = malloc(bytes > 0 ? bytes : 1);
}

static void *room(struct ftc_plan *plan, size_t bytes)
{
    struct ftc_rounds *p = plan->state;
    unsigned char *block = p->carrier->block(p, bytes);

    if (!block) {
        p->has_memory = false;
        return NULL;
    }
    p->given = block;
    p->progress.bytes = bytes;
    return block;
}

void ftc_rounds_give(struct ftc_rounds *p)
{
    if (ftc_packed_give(p->plan) != MPI_SUCCESS)
        p->has_memory = false;
}

uint32_t ftc_rounds_flags(const struct ftc_rounds *p)
{
    return (p->has_memory ? 0 : FTC_ROUND_NO_MEMORY) | (p->lacks_region ? FTC_ROUND_NO_REGION : 0);
}

/* ---- taken ---- */

bool ftc_rounds_brings(const struct ftc_rounds *p, int rank)
{
    return ftc_rounds_wants(&p->from[rank].source, ftc_rank_set_has(p->status.who, (uint32_t)rank));
}

/* Enlarges the memory of @s to @room bytes, which are more than it has. Returns false without
 * memory. */
static bool widen(struct ftc_rounds *p, struct ftc_reassembly *s, size_t room)
{
    unsigned char *wider;

    assert(room > s->room);
    wider = may_keep(p, room - s->room) ? realloc(s->data, room) : NULL;
    if (!wider)
        return false;
    s->data = wider;
    s->room = room;
    return true;
}

/* Makes room for @bytes more. If the memory has to grow, makes it @likely bytes where possible.
 * Returns false without memory. */
static bool make_room(struct ftc_rounds *p, struct ftc_reassembly *s, size_t bytes, size_t likely)
{
    size_t room = s->bytes + bytes;

    return room <= s->room || (likely > room && widen(p, s, likely)) || widen(p, s, room);
}

static void keep(struct ftc_rounds *p, struct ftc_rounds_from *f,
                 const struct ftc_rounds_part *part)
{
    struct ftc_reassembly *s = &f->kept;
    size_t all = s->bytes + part->bytes + part->left + 1, likely = 2 * s->room;

    if (likely > all || !p->plan->has_heads)
        likely = all;
    if (!make_room(p, s, part->bytes + 1, likely)) {
        p->has_memory = false;
        return;
    }
    memcpy(s->data + s->bytes, part->data, part->bytes);
    s->bytes += part->bytes;
    if (p->plan->has_heads)
        s->looked_at = ftc_segments_keep(s->data, &s->bytes, s->looked_at, p->plan->comm->rank);
    f->data = s->data;
    f->bytes = s->bytes;
}

void ftc_rounds_take(struct ftc_rounds *p, int rank, const struct ftc_rounds_part *part)
{
    struct ftc_rounds_from *f = &p->from[rank];

    f->note = part->note;
    ftc_rounds_got(&p->progress, &f->source, part->left);
    if (part->may_stay && f->source.stays && !p->plan->packed) {
        f->data = part->data;
        f->bytes = part->bytes;
    } else if (ftc_pattern_needs(p->plan, rank)) {
        keep(p, f, part);
    }
}

static struct ftc_piece find(const struct ftc_plan *plan, int rank, size_t *at)
{
    const struct ftc_rounds_from *f = &((const struct ftc_rounds *)plan->state)->from[rank];

    (void)at;
    if (!f->source.is_whole)
        return (struct ftc_piece){.note = f->note};
    return (struct ftc_piece){
        .data = f->data ? f->data : (const unsigned char *)"", .bytes = f->bytes, .note = f->note};
}

/* ---- rounds ---- */

void ftc_rounds_open(struct ftc_plan *plan, const struct ftc_rounds_carrier *carrier)
{
    struct ftc_rounds *p = plan->state;

    *p = (struct ftc_rounds){
        .plan = plan,
        .carrier = carrier,
        .ranks = plan->comm->size,
        .from = calloc((size_t)plan->comm->size, sizeof *p->from),
    };
    plan->room = room;
    plan->takes_in_place = false;
    plan->is_large = true;
    plan->comes_in_blocks = true;
    plan->find = find;
}

/* Returns whether any rank requires that native MPI carries out the call. */
static bool is_refused(const struct ftc_rounds *p)
{
    bool is = false;

    for (int rank = 0; rank < p->ranks; rank++)
        is |= (p->from[rank].note & FTC_BLOCK_REFUSES) != 0;
    return is;
}

static int take(struct ftc_rounds *p)
{
    struct ftc_packed *packed = p->plan->packed;
    int rv = MPI_SUCCESS;

    if (is_refused(p)) {
        p->plan->turned_out = FTC_FALLBACK_INVALID;
        return MPI_SUCCESS;
    }
    if (!p->has_memory)
        return ftc_limits_error(p->plan->call, FTC_ROUND_NO_MEMORY);
    if (packed)
        packed->takes = true;
    else
        rv = p->plan->collective->take(p->plan);
    ftc_fence_check(); /* if declared dead, this rank may have read overwritten data */
    return rv;
}

int ftc_rounds_after(struct ftc_plan *plan)
{
    struct ftc_rounds *p = plan->state;
    int rv = MPI_SUCCESS;

    p->carrier->hear(p);
    if (p->status.flags & FTC_ROUND_NO_MEMORY)
        return ftc_limits_error(plan->call, p->status.flags);
    ftc_rounds_hear(&p->progress, p->status.left);
    p->carrier->take(p);
    ftc_rounds_next(&p->progress);
    plan->is_again = p->progress.step == FTC_ROUNDS_WRITE;
    if (!plan->is_again) {
        rv = take(p);
        ftc_rounds_next(&p->progress);
    }
    return rv;
}

void ftc_rounds_free(const struct ftc_plan *plan)
{
    struct ftc_rounds *p = plan->state;

    for (int rank = 0; p->from && rank < p->ranks; rank++)
        free(p->from[rank].kept.data);
    free(p->from);
    free(p->own);
}
