#include "posted_way.h"

#include "board/directory.h"
#include "detector/silence.h"
#include "interest.h"
#include "parcel.h"
#include "program/error.h"
#include "series.h"

#include <stdlib.h>
#include <string.h>

enum { MEBIBYTE = 1 << 20 };

/* Where there is bulk memory, large.h has it. */
static bool has_data_phase(const struct ftc_plan *plan)
{
    return !ftc_board_has_other_hosts(&ftc_library.board) &&
           (ftc_call_is_reduction(plan->call->kind) ||
            ftc_call_plain(plan->call->kind) == FTC_CALL_BCAST);
}

bool ftc_posted_can(const struct ftc_plan *plan, enum ftc_pass pass)
{
    return ftc_library.settings.large == FTC_LARGE_PROTECTED &&
           (pass == FTC_PASS_TOO_LARGE || pass == FTC_PASS_NON_COMMUTATIVE) &&
           plan->value_bytes < SIZE_MAX && !has_data_phase(plan) && !ftc_series_can(plan, pass);
}

/* ---- memory ---- */

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

void ftc_posted_open(struct ftc_posted *p, struct ftc_plan *plan)
{
    *p = (struct ftc_posted){
        .plan = plan,
        .way = ftc_board_has_other_hosts(&ftc_library.board) ? &ftc_posted_in_messages
                                                             : &ftc_posted_in_memory,
        .place = -1,
        .from = calloc((size_t)plan->comm->size, sizeof *p->from),
    };
    plan->posted = p;
}

void ftc_posted_request(struct ftc_posted *p, struct ftc_drive_request *request)
{
    p->way->request(p, request);
}

/* ---- behind it ---- */

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

static int deliver_all(struct ftc_posted *p)
{
    int rv = MPI_SUCCESS;

    if (!p->has_memory)
        return ftc_error_no_memory();
    if (!p->plan->parcel)
        rv = p->plan->collective->deliver(p->plan);
    ftc_fence_check(); /* who was taken for dead may have read anything */
    return rv;
}

int ftc_posted_deliver(struct ftc_posted *p)
{
    p->way->hear(p);
    if (p->vote.flags & FTC_POSTED_NO_MEMORY)
        return ftc_error_no_memory();
    if (p->vote.flags & FTC_POSTED_TOO_LARGE) {
        p->plan->turned_out = FTC_PASS_TOO_LARGE;
        return MPI_SUCCESS;
    }
    p->way->take(p);
    p->is_again = p->vote.left > 0;
    p->round++;
    return p->is_again ? MPI_SUCCESS : deliver_all(p);
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

/* ---- the end ---- */

void ftc_posted_close(struct ftc_posted *p)
{
    p->way->close(p);
}

void ftc_posted_free(struct ftc_posted *p)
{
    for (int rank = 0; p->from && rank < p->plan->comm->size; rank++)
        free(p->from[rank].kept);
    free(p->from);
    free(p->own);
}
