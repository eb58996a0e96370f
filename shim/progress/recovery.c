#include "recovery.h"

#include "board/failure_site.h"
#include "board/rank_state.h"
#include "board/recovery_record.h"
#include "running.h"
#include "system/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* This rank's knowledge of the death of another rank. */
struct note {
    bool noticed, recovered;
    struct ftc_operation_id in;
    struct ftc_stack stack;
};

static struct note *note;  /* notes by world rank */
static int open_notes;     /* deaths noticed, but not recovered from */
static bool is_recovering; /* true from a death until an operation has its result */
static uint32_t settled;   /* deaths from which this rank has recovered, as the board shows */

int ftc_recovery_open(void)
{
    note = calloc(ftc_library.board.geometry.ranks, sizeof *note);
    return note ? 0 : -ENOMEM;
}

static void begin(const struct ftc_comm *c, uint32_t world, uint32_t seq)
{
    struct note *n = &note[world];

    if (n->noticed)
        return;
    n->in = (struct ftc_operation_id){c->id, c->running->call->kind, seq};
    ftc_recovery_record_notice(&ftc_library.board, world, ftc_library.world_rank, &n->in);
    n->noticed = true;
    open_notes++;
    is_recovering = true;
}

void ftc_recovery_begin(const struct ftc_comm *c, uint32_t world)
{
    begin(c, world, c->seq);
}

void ftc_recovery_know(void)
{
    is_recovering = true;
}

/* Stores where the program is. No rank waits for this, because the operation is over. The program
 * is still in the call, unless the call is nonblocking; then only its address is known. */
static void capture_site(const struct ftc_call *call, struct ftc_stack *stack)
{
    bool full = ftc_library.settings.report >= FTC_REPORT_FULL;

    if (ftc_call_is_nonblocking(call->kind)) {
        *stack = (struct ftc_stack){.depth = 1};
        memcpy(&stack->address[0], &call->return_address, sizeof call->return_address);
        return;
    }
    if (call->return_address || full) /* NULL in MPI_Finalize */
        ftc_callsite_capture(call->return_address, full ? FTC_STACK_MAX : 1, stack);
}

/* ---- members that the ended operation has excluded ---- */

/* Returns the failed members that the result names; NULL if it does not name all, as in a
 * reduce. */
static const struct ftc_failure_info *left_out(const struct ftc_comm *c)
{
    const struct ftc_op *op = &c->running->op;

    if (op->config.kind != FTC_OP_ALLREDUCE || c->running->mismatched >= 0 ||
        op->result.verdict != FTC_VERDICT_VALUE || op->config.failure_scheme != FTC_FAILURE_LIST ||
        op->result.failed->overflow)
        return NULL;
    return op->result.failed;
}

static uint32_t world_of(const struct ftc_comm *c, int member)
{
    return c->world[c->member[member]];
}

static bool is_left_out(const struct ftc_comm *c, const struct ftc_failure_info *out,
                        uint32_t world)
{
    for (int i = 0; i < out->count; i++)
        if (world_of(c, out->id[i]) == world)
            return true;
    return false;
}

/* Notes the deaths in the result. A rank may have the result without having noticed them itself. */
static void note_left_out(const struct ftc_comm *c)
{
    const struct ftc_failure_info *out = left_out(c);

    for (int i = 0; out && i < out->count; i++)
        begin(c, world_of(c, out->id[i]), c->seq - 1);
}

/* Returns whether the result contains the contribution of @world. A rank that dies after its
 * message has arrived may be noticed before the operation ends. */
static bool has_its_part(const struct ftc_comm *c, uint32_t world)
{
    const struct ftc_failure_info *out = left_out(c);

    return out && note[world].in.seq == c->seq - 1 && !is_left_out(c, out, world);
}

static void take_back(uint32_t world)
{
    ftc_recovery_record_take_back(&ftc_library.board, world, &note[world].in);
    note[world].noticed = false;
    open_notes--;
}

/* ---- the end of an operation ---- */

/* Ends the notes of this operation. Returns whether it has met all deaths that it has noticed. */
static bool end_notes(const struct ftc_comm *c, uint64_t now, bool is_error)
{
    struct ftc_board *board = &ftc_library.board;
    bool are_met = true;

    for (uint32_t s = 0; open_notes > 0 && s < board->geometry.ranks; s++) {
        if (!note[s].noticed || note[s].recovered || note[s].in.communicator_id != c->id)
            continue;
        if (has_its_part(c, s)) {
            take_back(s);
            are_met = false;
            continue;
        }
        note[s].recovered = true;
        capture_site(c->running->call, &note[s].stack);
        /* again, because the first rank may have died before it recorded this */
        ftc_recovery_record_notice(board, s, ftc_library.world_rank, &note[s].in);
        ftc_failure_site_leave(board, s, ftc_library.world_rank, &note[s].in,
                               note[s].stack.address[0]);
        if (is_error)
            ftc_recovery_record_fail(board, s, &note[s].in);
        if (ftc_recovery_record_is_of(board, s, &note[s].in))
            ftc_recovery_record_recovered(board, s, now);
        open_notes--;
    }
    return are_met;
}

/* Records that this rank has recovered from all deaths that it knows. Without monitor processes the
 * last rank reports the recovery. */
static void settle(const struct ftc_comm *c, uint64_t now, bool is_error)
{
    struct ftc_operation_id failed_in = {0};

    if (is_error)
        failed_in = (struct ftc_operation_id){c->id, c->running->call->kind, c->seq - 1};

    settled = c->deaths_seen;
    ftc_recovery_record_set_error(&ftc_library.board, ftc_library.world_rank, &failed_in);
    ftc_recovery_record_settle(&ftc_library.board, ftc_library.world_rank, settled, now);
    if (ftc_library.suspects)
        ftc_notice_recovery(&ftc_library.notice);
}

/* Carries out ftc_recovery_end() after a death. Not inlined, so that other operations stay short.
 */
static __attribute__((noinline)) void end_recovering(const struct ftc_comm *c, bool is_error)
{
    struct ftc_running *r = c->running;
    uint64_t now = ftc_clock_ns();

    note_left_out(c);
    if (end_notes(c, now, is_error) && c->deaths_seen > settled && r->mismatched < 0 &&
        r->op.result.verdict != FTC_VERDICT_EXCESS)
        settle(c, now, is_error);
    is_recovering = open_notes > 0 || ftc_board_deaths(&ftc_library.board) > settled;
}

void ftc_recovery_end(const struct ftc_comm *c, bool is_error)
{
    const struct ftc_failure_info *out = c->running->op.result.failed;

    if (is_recovering || (out && out->count > 0))
        end_recovering(c, is_error);
}

void ftc_recovery_fail(const struct ftc_comm *c, uint32_t since)
{
    for (uint32_t s = 0; s < ftc_library.board.geometry.ranks; s++)
        if (note[s].recovered && note[s].in.communicator_id == c->id &&
            (int32_t)(note[s].in.seq - since) >= 0)
            ftc_recovery_record_fail(&ftc_library.board, s, &note[s].in);
}

const struct ftc_stack *ftc_recovery_site(uint32_t world)
{
    return &note[world].stack;
}

bool ftc_recovery_is_first(uint32_t world)
{
    return note[world].recovered &&
           ftc_recovery_record_is_of(&ftc_library.board, world, &note[world].in);
}

/* Puts the name of the call site on the board. A process that has claimed to find it may not have
 * done so before this process ends. */
static void keep_site(uint32_t world)
{
    const struct ftc_board *board = &ftc_library.board;
    char name[FTC_BOARD_SITE_TEXT];
    struct ftc_site_address place;

    if (ftc_failure_site_name(board, world, name) ||
        !ftc_failure_site_address(board, world, &place) ||
        place.pid != ftc_board_pid(board, ftc_library.world_rank))
        return;
    ftc_callsite_name(note[world].stack.address[0], name, sizeof name);
    ftc_failure_site_keep(board, world, name);
}

void ftc_recovery_keep_sites(void)
{
    for (uint32_t i = 0; i < ftc_library.board.geometry.ranks; i++)
        if (note[i].recovered && ftc_library.settings.report != FTC_REPORT_OFF)
            keep_site(i);
}
