#include "posted.h"

#include "board/bulk.h"
#include "detector/silence.h"
#include "interest.h"
#include "job_end.h"
#include "parcel.h"
#include "program/error.h"
#include "progress/crash.h"
#include "progress/running.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MEBIBYTE = 1 << 20 };

/* What stands before the data of a place: of this round, and of the one before, which others may
 * still be reading. */
struct head {
    _Alignas(64) uint64_t bytes; /* of the block, posted in this round */
    uint64_t left;               /* after it */
    uint32_t note;
};

struct place {
    struct head head[2];
    unsigned char data[];
};

enum {
    DATA_BYTES = FTC_BULK_PLACE_BYTES - (int)sizeof(struct place),
    HALF_BYTES = DATA_BYTES / 2 / 64 * 64,
};

bool ftc_posted_can(const struct ftc_plan *plan, enum ftc_pass pass)
{
    return ftc_library.settings.large == FTC_LARGE_PROTECTED &&
           (pass == FTC_PASS_TOO_LARGE || pass == FTC_PASS_NON_COMMUTATIVE) &&
           plan->value_bytes < SIZE_MAX && !ftc_call_is_reduction(plan->call->kind) &&
           ftc_call_plain(plan->call->kind) != FTC_CALL_BCAST;
}

/* ---- where things are ---- */

static uint32_t world_of(const struct ftc_posted *p, int rank)
{
    return p->plan->comm->world[rank];
}

static bool has_slots(int place)
{
    return place >= 0 && place < FTC_BULK_PLACES;
}

static struct place *place_of(uint32_t world, int place)
{
    return (struct place *)ftc_bulk_slot(&ftc_library.board, world, place, 0);
}

static struct place *own_place(const struct ftc_posted *p)
{
    return place_of(ftc_library.world_rank, p->place);
}

/* Of a round. The first is all of the place, for whom that is enough. */
static unsigned char *area_of(struct place *place, uint32_t round)
{
    return place->data + (round % 2 == 0 ? 0 : HALF_BYTES);
}

static bool is_posted_at_once(size_t bytes)
{
    return bytes <= DATA_BYTES;
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

static void *without_memory(struct ftc_posted *p)
{
    p->has_memory = false;
    return NULL;
}

void *ftc_posted_block(struct ftc_posted *p, size_t bytes)
{
    if (bytes >= SIZE_MAX / 2) {
        p->is_too_large = true;
        return NULL;
    }
    if (!p->has_memory)
        return NULL;
    if (is_posted_at_once(bytes)) {
        if (!ftc_bulk_reserve(&ftc_library.board, ftc_library.world_rank, p->place,
                              sizeof(struct place) + bytes))
            return without_memory(p);
        p->given = own_place(p)->data;
    } else {
        p->given = p->own = may_keep(p, bytes) ? malloc(bytes) : NULL;
        if (!p->own)
            return without_memory(p);
    }
    p->bytes = bytes;
    return (void *)p->given;
}

/* ---- before the operation ---- */

static void show(const struct ftc_posted *p, uint32_t shown)
{
    ftc_bulk_show(&ftc_library.board, ftc_library.world_rank, p->place, p->seq, shown);
}

/* Points at which setting crash can kill: before and behind the posting of each round, before and
 * behind the taking. */
static void look_for_crash(const struct ftc_posted *p, unsigned stage)
{
    enum { STAGES = 4 };
    uint64_t rounds = is_posted_at_once(p->bytes) ? 1 : (p->bytes + HALF_BYTES - 1) / HALF_BYTES;

    if (ftc_crash_armed)
        ftc_crash_in_data(&p->plan->comm->running->crash, (uint64_t)p->round * STAGES + stage,
                          rounds * STAGES - 1);
}

/* False: others still read what was in the last one that could be free. */
static bool take_place(struct ftc_posted *p)
{
    const struct ftc_board *board = &ftc_library.board;

    if (ftc_bulk_is_awaited(board, ftc_library.world_rank))
        return false;
    p->seq = p->plan->comm->seq;
    p->place = ftc_bulk_take(board, ftc_library.world_rank, p->plan->comm->id, 0);
    if (p->place < 0)
        ftc_job_end_no_memory("a large call"); /* nor for telling the others */
    show(p, 0);
    p->has_memory = p->from && has_slots(p->place) &&
                    ftc_bulk_reserve(board, ftc_library.world_rank, p->place, sizeof(struct place));
    return true;
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

static void give(struct ftc_posted *p)
{
    if (p->plan->parcel)
        give_parcel(p);
    else if (!p->plan->collective->contribute(p->plan) && !p->is_too_large)
        p->has_memory = false;
}

/* The next bytes of the own block, for all to read. */
static void post(struct ftc_posted *p)
{
    struct place *place = own_place(p);
    size_t left = p->bytes - p->posted, bytes = left;

    if (p->own) {
        bytes = left < HALF_BYTES ? left : HALF_BYTES;
        memcpy(area_of(place, p->round), p->given + p->posted, bytes);
    }
    p->posted += bytes;
    place->head[p->round % 2] =
        (struct head){.bytes = bytes, .left = left - bytes, .note = p->note};
}

static void cast_vote(struct ftc_posted *p)
{
    int rank = p->plan->comm->rank;

    p->vote = (struct ftc_posted_vote){
        .flags = (p->has_memory ? 0 : FTC_POSTED_NO_MEMORY) |
                 (p->is_too_large ? FTC_POSTED_TOO_LARGE : 0),
        .left = p->bytes - p->posted,
    };
    p->vote.who[rank / 64] = 1ull << rank % 64;
}

static bool turn(struct ftc_prelude *prelude)
{
    struct ftc_posted *p = (struct ftc_posted *)prelude;

    if (p->place < 0 && !take_place(p))
        return false;
    look_for_crash(p, 0);
    if (p->round == 0 && p->has_memory)
        give(p);
    if (p->has_memory && p->own && p->round == 0 &&
        !ftc_bulk_reserve(&ftc_library.board, ftc_library.world_rank, p->place,
                          FTC_BULK_PLACE_BYTES))
        p->has_memory = false;
    if (p->has_memory && !p->is_too_large)
        post(p);
    look_for_crash(p, 1);
    cast_vote(p);
    p->is_ready = true;
    return true;
}

static bool is_over(const struct ftc_prelude *prelude)
{
    return ((const struct ftc_posted *)prelude)->is_ready;
}

static bool expects(const struct ftc_prelude *prelude, int member)
{
    (void)prelude;
    (void)member;
    return false;
}

static size_t vote_bytes(const struct ftc_plan *plan)
{
    return offsetof(struct ftc_posted_vote, who) + ((size_t)plan->comm->size + 63) / 64 * 8;
}

static void combine_votes(void *context, void *into, const void *from)
{
    size_t bytes = vote_bytes(context);
    struct ftc_posted_vote a, b;

    memcpy(&a, into, bytes);
    memcpy(&b, from, bytes);
    a.flags |= b.flags;
    a.left = a.left > b.left ? a.left : b.left;
    for (int rank = 0; rank < ((struct ftc_plan *)context)->comm->size; rank += 64)
        a.who[rank / 64] |= b.who[rank / 64];
    memcpy(into, &a, bytes);
}

void ftc_posted_open(struct ftc_posted *p, struct ftc_plan *plan)
{
    *p = (struct ftc_posted){
        .prelude = {.turn = turn, .is_over = is_over, .expects = expects},
        .plan = plan,
        .place = -1,
        .from = calloc((size_t)plan->comm->size, sizeof *p->from),
    };
    plan->posted = p;
}

void ftc_posted_request(struct ftc_posted *p, struct ftc_drive_request *request)
{
    p->is_ready = false;
    *request = (struct ftc_drive_request){
        .call = p->plan->call,
        .kind = FTC_OP_ALLREDUCE,
        .value_bytes = vote_bytes(p->plan),
        .contribution = &p->vote,
        .combine = combine_votes,
        .context = p->plan,
        .prelude = &p->prelude,
    };
}

/* ---- behind it ---- */

static bool has_posted(const struct ftc_posted *p, int rank)
{
    return (p->vote.who[rank / 64] >> rank % 64 & 1) != 0;
}

/* What nobody could have posted counts for nothing. */
static struct head head_of(const struct place *place, uint32_t round)
{
    struct head head = place->head[round % 2];

    if (head.bytes > (round == 0 ? DATA_BYTES : HALF_BYTES))
        head.bytes = 0;
    return head;
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

static void keep(struct ftc_posted *p, struct ftc_posted_from *f, const unsigned char *data,
                 const struct head *head)
{
    bool in_letters = ftc_interest_is_in_letters(p->plan);

    if (!make_room(p, f, head->bytes + 1, in_letters ? 0 : head->bytes + head->left + 1)) {
        p->has_memory = false;
        return;
    }
    memcpy(f->kept + f->bytes, data, head->bytes);
    f->bytes += head->bytes;
    if (in_letters)
        f->looked_at = ftc_letters_keep(f->kept, &f->bytes, f->looked_at, p->plan->comm->rank);
    f->data = f->kept;
}

/* Its memory is as it is until all have shown that they have read: what is there at once, and is
 * not for later, stays there. */
static void take_from(struct ftc_posted *p, int rank)
{
    struct ftc_posted_from *f = &p->from[rank];
    const struct ftc_comm *c = p->plan->comm;
    int its_place = rank == c->rank
                        ? p->place
                        : ftc_bulk_find(&ftc_library.board, world_of(p, rank), c->id, p->seq);
    struct place *place;
    struct head head;

    if (!has_slots(its_place))
        ftc_fence_check();
    assert(has_slots(its_place)); /* who is in the set has one until this rank has read */
    place = place_of(world_of(p, rank), its_place);
    head = head_of(place, p->round);
    f->note = head.note;
    f->is_whole = head.left == 0;
    if (p->round == 0 && f->is_whole && !p->plan->parcel) {
        f->data = place->data;
        f->bytes = head.bytes;
    } else if (ftc_interest_in(p->plan, rank)) {
        keep(p, f, area_of(place, p->round), &head);
    }
}

static void take(struct ftc_posted *p)
{
    for (int rank = 0; rank < p->plan->comm->size; rank++)
        if (has_posted(p, rank) && !p->from[rank].is_whole)
            take_from(p, rank);
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
    memcpy(&p->vote, p->plan->comm->running->op.result.value, vote_bytes(p->plan));
    p->is_again = false;
    if (p->vote.flags & FTC_POSTED_NO_MEMORY)
        return ftc_error_no_memory();
    if (p->vote.flags & FTC_POSTED_TOO_LARGE) {
        p->plan->turned_out = FTC_PASS_TOO_LARGE;
        return MPI_SUCCESS;
    }
    look_for_crash(p, 2);
    take(p);
    look_for_crash(p, 3);
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

/* All others that take part. */
static uint32_t *readers(const struct ftc_posted *p, int *count)
{
    const struct ftc_comm *c = p->plan->comm;
    uint32_t *list = malloc((size_t)c->member_count * sizeof *list);

    *count = 0;
    for (int i = 0; list && i < c->member_count; i++)
        if (i != c->own_member)
            list[(*count)++] = world_of(p, c->member[i]);
    return list;
}

void ftc_posted_close(struct ftc_posted *p)
{
    uint32_t *list;
    int count;

    if (p->place < 0)
        return;
    show(p, FTC_BULK_HAS_READ);
    list = readers(p, &count);
    if (!list)
        ftc_job_end_no_memory("a large call"); /* the place could never be used again */
    ftc_bulk_leave(&ftc_library.board, ftc_library.world_rank, p->place, p->seq, list, count);
    p->place = -1;
}

void ftc_posted_free(struct ftc_posted *p)
{
    for (int rank = 0; p->from && rank < p->plan->comm->size; rank++)
        free(p->from[rank].kept);
    free(p->from);
    free(p->own);
}
