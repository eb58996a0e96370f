#include "posted_parts.h"

#include "interest.h"
#include "parcel.h"

#include <stdlib.h>
#include <string.h>

enum { MEBIBYTE = 1 << 20 };

/* ---- given ---- */

static bool may_keep(struct ftc_posted *p, size_t bytes)
{
    size_t most = (size_t)ftc_library.settings.large_memory * MEBIBYTE;

    if (bytes > most || p->kept_bytes > most - bytes)
        return false;
    p->kept_bytes += bytes;
    return true;
}

unsigned char *ftc_posted_own_block(struct ftc_posted *p, size_t bytes)
{
    if (may_keep(p, bytes))
        p->own = malloc(bytes > 0 ? bytes : 1);
    return p->own;
}

void *ftc_posted_block(struct ftc_posted *p, size_t bytes)
{
    unsigned char *block;

    if (bytes >= SIZE_MAX / 2) {
        p->is_too_large = true;
        return NULL;
    }
    if (!p->has_memory)
        return NULL;
    block = p->way->block(p, bytes);
    if (!block) {
        p->has_memory = false;
        return NULL;
    }
    p->given = block;
    p->bytes = bytes;
    return block;
}

/* Packed by the program's thread (parcel.h). */
static void give_parcel(struct ftc_posted *p)
{
    const struct ftc_plan *plan = p->plan;
    size_t at = 0;
    const struct ftc_block *block = ftc_blocks_find(plan->parcel->given, plan->comm->rank, &at);
    void *to;

    if (!block)
        return;
    p->note = block->note;
    to = ftc_posted_block(p, block->bytes);
    if (to && block->bytes > 0)
        memcpy(to, block->data, block->bytes);
}

void ftc_posted_give(struct ftc_posted *p)
{
    if (p->plan->parcel)
        give_parcel(p);
    else if (!p->plan->collective->contribute(p->plan) && !p->is_too_large)
        p->has_memory = false;
}

uint32_t ftc_posted_flags(const struct ftc_posted *p)
{
    return (p->has_memory ? 0 : FTC_POSTED_NO_MEMORY) |
           (p->is_too_large ? FTC_POSTED_TOO_LARGE : 0);
}

/* ---- taken ---- */

bool ftc_posted_brings(const struct ftc_posted *p, int rank)
{
    return (p->vote.who[rank / 64] >> rank % 64 & 1) != 0 && !p->from[rank].is_whole;
}

static bool make_room(struct ftc_posted *p, struct ftc_posted_from *f, size_t bytes, size_t whole)
{
    size_t room = f->bytes + bytes > whole ? f->bytes + bytes : whole;
    unsigned char *wider;

    if (f->bytes + bytes <= f->room)
        return true;
    if (!may_keep(p, room - f->room))
        return false;
    wider = room > 0 ? realloc(f->kept, room) : NULL;
    if (!wider)
        return false;
    f->kept = wider;
    f->room = room;
    return true;
}

static void keep(struct ftc_posted *p, struct ftc_posted_from *f,
                 const struct ftc_posted_part *part)
{
    bool in_letters = ftc_interest_is_in_letters(p->plan);

    if (!make_room(p, f, part->bytes + 1,
                   in_letters ? 2 * f->room : part->bytes + part->left + 1)) {
        p->has_memory = false;
        return;
    }
    memcpy(f->kept + f->bytes, part->data, part->bytes);
    f->bytes += part->bytes;
    if (in_letters)
        f->looked_at = ftc_letters_keep(f->kept, &f->bytes, f->looked_at, p->plan->comm->rank);
    f->data = f->kept;
}

void ftc_posted_take(struct ftc_posted *p, int rank, const struct ftc_posted_part *part)
{
    struct ftc_posted_from *f = &p->from[rank];

    f->note = part->note;
    f->is_whole = part->left == 0;
    if (part->stays && f->is_whole && !p->plan->parcel) {
        f->data = part->data;
        f->bytes = part->bytes;
    } else if (ftc_interest_in(p->plan, rank)) {
        keep(p, f, part);
    }
}

struct ftc_piece ftc_posted_find(const struct ftc_posted *p, int rank)
{
    const struct ftc_posted_from *f = &p->from[rank];

    if (!f->is_whole)
        return (struct ftc_piece){NULL, 0};
    return f->data ? (struct ftc_piece){f->data, f->bytes} : (struct ftc_piece){"", 0};
}

uint32_t ftc_posted_note(const struct ftc_posted *p, int rank)
{
    return p->from[rank].note;
}
