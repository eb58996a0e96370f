#include "recovery.h"

#include "board/aftermath.h"
#include "running.h"
#include "system/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What this rank knows of the death of one other. */
struct note {
    bool noticed, recovered;
    uint64_t communicator_id;
    struct ftc_stack stack;
};

static struct note *note; /* by world rank */
static int open_notes;    /* noticed, but not recovered from */

int ftc_recovery_open(void)
{
    note = calloc(ftc_library.board.geometry.ranks, sizeof *note);
    return note ? 0 : -ENOMEM;
}

void ftc_recovery_begin(const struct ftc_comm *c, uint32_t world)
{
    if (note[world].noticed)
        return;
    ftc_aftermath_notice(&ftc_library.board, world, ftc_library.world_rank, c->running->call->kind,
                         c->seq);
    note[world].noticed = true;
    note[world].communicator_id = c->id;
    open_notes++;
}

/* Nobody waits for this: the operation is done, but the program is still in the call, unless it is
 * a nonblocking one, of which nothing but the address is left. */
static void capture_site(const struct ftc_call *call, struct ftc_stack *stack)
{
    bool full = ftc_library.settings.report >= FTC_REPORT_FULL;

    if (ftc_call_is_nonblocking(call->kind)) {
        *stack = (struct ftc_stack){.depth = 1};
        memcpy(&stack->address[0], &call->return_address, sizeof call->return_address);
        return;
    }
    if (call->return_address || full) /* there is none in MPI_Finalize */
        ftc_callsite_capture(call->return_address, full ? FTC_STACK_MAX : 1, stack);
}

void ftc_recovery_end(const struct ftc_comm *c)
{
    struct ftc_board *board = &ftc_library.board;
    uint64_t now;

    if (open_notes == 0)
        return;
    now = ftc_clock_ns();
    for (uint32_t s = 0; s < board->geometry.ranks; s++) {
        if (!note[s].noticed || note[s].recovered || note[s].communicator_id != c->id)
            continue;
        note[s].recovered = true;
        capture_site(c->running->call, &note[s].stack);
        ftc_aftermath_recovered(board, s, now);
        open_notes--;
    }
}

const struct ftc_stack *ftc_recovery_site(uint32_t world)
{
    return &note[world].stack;
}
