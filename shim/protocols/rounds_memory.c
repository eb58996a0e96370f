/* Blocks in bulk memory (board/bulk.h). Each rank has a region there, which all other ranks
 * read. */
#include "rounds.h"

#include "board/bulk.h"
#include "detector/silence.h"
#include "job_end.h"
#include "progress/crash.h"
#include "progress/running.h"
#include "system/copy.h"

#include <stdio.h>
#include <stdlib.h>

/* Head before the data of a region. A region has two: one of this round, and one of the round
 * before, which other ranks may still read. */
struct head {
    _Alignas(64) uint64_t bytes; /* bytes of the block that were written in this round */
    uint64_t left;               /* bytes of the block after them */
    uint32_t note;
};

struct region {
    struct head head[2];
    unsigned char data[];
};

enum {
    DATA_BYTES = FTC_BULK_REGION_BYTES - (int)sizeof(struct region),
    HALF_BYTES = DATA_BYTES / 2 / 64 * 64,
};

static const struct ftc_rounds_limits limits = {
    .whole_bytes = DATA_BYTES,
    .part_bytes = HALF_BYTES,
};

/* ---- where things are ---- */

static uint32_t world_of(const struct ftc_rounds *p, int rank)
{
    return p->plan->comm->world[rank];
}

static bool has_slots(int region)
{
    return region >= 0 && region < FTC_BULK_REGIONS;
}

static struct region *region_of(uint32_t world, int region)
{
    return (struct region *)ftc_bulk_slot(&ftc_library.board, world, region, 0);
}

static struct region *own_region(const struct ftc_rounds *p)
{
    return region_of(ftc_library.world_rank, p->region);
}

static unsigned char *area_of(struct region *region, uint32_t round)
{
    return region->data + ftc_rounds_area(&limits, round).at;
}

static bool is_in_parts(size_t bytes)
{
    return ftc_rounds_is_in_parts(&limits, bytes);
}

/* ---- before the operation ---- */

static unsigned char *block(struct ftc_rounds *p, size_t bytes)
{
    if (is_in_parts(bytes))
        return ftc_rounds_own_block(p, bytes);
    return ftc_bulk_reserve(&ftc_library.board, ftc_library.world_rank, p->region,
                            sizeof(struct region) + bytes)
               ? own_region(p)->data
               : NULL;
}

/* Kills the process if setting crash names this point. Each round has points before and after its
 * writing, and before and after its taking. */
static void look_for_crash(const struct ftc_rounds *p, unsigned stage)
{
    enum { STAGES = 4 };
    uint64_t bytes = p->progress.bytes;
    uint64_t rounds = is_in_parts(bytes) ? (bytes + HALF_BYTES - 1) / HALF_BYTES : 1;

    if (ftc_crash_armed)
        ftc_crash_in_data(&p->plan->comm->running->crash,
                          (uint64_t)p->progress.round * STAGES + stage, rounds * STAGES - 1);
}

/* Takes a region. Returns false if none with slots is free and other ranks still read one that this
 * rank has left. */
static bool take_region(struct ftc_rounds *p)
{
    const struct ftc_board *board = &ftc_library.board;

    if (ftc_bulk_is_awaited(board, ftc_library.world_rank))
        return false;
    p->seq = p->plan->comm->seq;
    p->region = ftc_bulk_take(board, ftc_library.world_rank, p->plan->comm->id, p->seq, 0);
    if (p->region < 0)
        ftc_job_end_no_memory("a large call"); /* no word is left to tell the other ranks either */
    p->lacks_region = !has_slots(p->region) && ftc_bulk_is_full();
    p->has_memory =
        p->from && has_slots(p->region) &&
        ftc_bulk_reserve(board, ftc_library.world_rank, p->region, sizeof(struct region));
    return true;
}

/* Shows the next part of this rank's block to all ranks: writes its head, and its data unless the
 * whole block is there already. */
static void write_part(struct ftc_rounds *p)
{
    struct region *region = own_region(p);
    uint32_t round = p->progress.round;
    struct ftc_rounds_piece piece = ftc_rounds_write(&p->progress, &limits);

    if (is_in_parts(p->progress.bytes))
        ftc_copy(area_of(region, round), p->given + piece.from, piece.bytes);
    region->head[ftc_rounds_half(round)] =
        (struct head){.bytes = piece.bytes, .left = piece.left, .note = p->plan->note};
}

static bool turn(struct ftc_prelude *prelude)
{
    struct ftc_rounds *p = (struct ftc_rounds *)prelude;

    if (p->progress.step == FTC_ROUNDS_REGION) {
        if (!take_region(p))
            return false;
        ftc_rounds_next(&p->progress);
    }
    look_for_crash(p, 0);
    if (p->progress.round == 0 && p->has_memory)
        ftc_rounds_give(p);
    if (p->has_memory && is_in_parts(p->progress.bytes) && p->progress.round == 0 &&
        !ftc_bulk_reserve(&ftc_library.board, ftc_library.world_rank, p->region,
                          FTC_BULK_REGION_BYTES))
        p->has_memory = false;
    if (p->has_memory)
        write_part(p);
    ftc_rounds_next(&p->progress);
    look_for_crash(p, 1);
    p->status = ftc_round_status_of(p->plan->comm->rank, ftc_rounds_flags(p),
                                    ftc_rounds_left(&p->progress));
    return true;
}

static bool is_over(const struct ftc_prelude *prelude)
{
    return ((const struct ftc_rounds *)prelude)->progress.step == FTC_ROUNDS_VOTE;
}

static void combine(void *context, void *into, const void *from)
{
    ftc_round_status_join(into, from, ((struct ftc_plan *)context)->comm->size);
}

static void request(struct ftc_plan *plan, struct ftc_loop_request *request)
{
    struct ftc_rounds *p = plan->state;

    if (p->progress.step == FTC_ROUNDS_REGION)
        p->prelude = (struct ftc_prelude){.turn = turn, .is_over = is_over};
    request->value_bytes = ftc_round_status_bytes(plan->comm->size);
    request->contribution = &p->status;
    request->combine = combine;
    request->prelude = &p->prelude;
}

/* ---- after the operation ---- */

static void hear(struct ftc_rounds *p)
{
    p->status = ftc_round_status_read(p->plan->comm->running->op.result.value, p->plan->comm->size);
}

/* Returns the head of a round. A length that no correct rank writes becomes 0. */
static struct head head_of(const struct region *region, uint32_t round)
{
    struct head head = region->head[ftc_rounds_half(round)];

    if (head.bytes > ftc_rounds_area(&limits, round).most_bytes)
        head.bytes = 0;
    return head;
}

/* Ends the job, because another process has written to shared memory. By the vote, @rank has
 * written its block, and it keeps its region until this rank has read it. Without that block this
 * rank cannot have the other ranks' result. */
static void end_without_region(const struct ftc_rounds *p, int rank)
{
    char text[192];

    snprintf(text, sizeof text,
             "ftcoll: shared memory does not have the data that rank %d gave to %s, which rank %d "
             "needs; another process has written there",
             ftc_comm_printed_rank(p->plan->comm, rank), ftc_call_name(p->plan->call->kind),
             ftc_comm_printed_rank(p->plan->comm, p->plan->comm->rank));
    ftc_job_end(MPI_COMM_WORLD, MPI_ERR_OTHER, text);
}

static void take_from(struct ftc_rounds *p, int rank)
{
    const struct ftc_comm *c = p->plan->comm;
    int its_region = rank == c->rank
                         ? p->region
                         : ftc_bulk_find(&ftc_library.board, world_of(p, rank), c->id, p->seq);
    struct region *region;
    struct head head;

    if (!has_slots(its_region)) {
        ftc_fence_check(); /* no rank keeps its region for a rank declared dead */
        end_without_region(p, rank);
    }
    region = region_of(world_of(p, rank), its_region);
    head = head_of(region, p->progress.round);
    ftc_rounds_take(p, rank,
                    &(struct ftc_rounds_part){
                        .data = area_of(region, p->progress.round),
                        .bytes = head.bytes,
                        .left = head.left,
                        .note = head.note,
                        .may_stay = true,
                    });
}

static void take(struct ftc_rounds *p)
{
    look_for_crash(p, 2);
    for (int rank = 0; rank < p->plan->comm->size; rank++)
        if (ftc_rounds_brings(p, rank))
            take_from(p, rank);
    look_for_crash(p, 3);
}

/* ---- the end ---- */

/* Returns the world ranks of all other members, from malloc(); NULL without memory. */
static uint32_t *readers(const struct ftc_rounds *p, int *count)
{
    const struct ftc_comm *c = p->plan->comm;
    uint32_t *list = malloc((size_t)c->member_count * sizeof *list);

    *count = 0;
    for (int i = 0; list && i < c->member_count; i++)
        if (i != c->own_member)
            list[(*count)++] = world_of(p, c->member[i]);
    return list;
}

static void close_place(const struct ftc_plan *plan)
{
    struct ftc_rounds *p = plan->state;
    uint32_t *list;
    int count;

    ftc_rounds_end(&p->progress);
    if (p->progress.step == FTC_ROUNDS_OVER)
        return;
    ftc_bulk_show(&ftc_library.board, ftc_library.world_rank, p->region, p->seq,
                  FTC_ROUNDS_HAS_READ);
    list = readers(p, &count);
    if (!list)
        ftc_job_end_no_memory("a large call"); /* the region could never be used again */
    ftc_bulk_leave(&ftc_library.board, ftc_library.world_rank, p->region, p->seq, list, count);
    ftc_rounds_next(&p->progress);
}

/* ---- the steps ---- */

static void open(struct ftc_plan *plan)
{
    static const struct ftc_rounds_carrier carrier = {
        .block = block,
        .hear = hear,
        .take = take,
    };

    ftc_rounds_open(plan, &carrier);
}

const struct ftc_protocol_steps ftc_rounds_in_memory = {
    .open = open,
    .request = request,
    .after = ftc_rounds_after,
    .close = close_place,
    .free = ftc_rounds_free,
};
