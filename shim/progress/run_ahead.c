#include "run_ahead.h"

#include "board/publication.h"
#include "board/rank_state.h"
#include "running.h"

enum { RUN_AHEAD_MAX = 64 }; /* operations */

/* Returns the first operation whose messages may not be sent to @root yet. A root that has begun
 * none counts as being about to begin operation 0. */
static uint32_t bound(const struct ftc_comm *c, uint32_t root)
{
    uint32_t seq;

    return ftc_published_joined(&ftc_library.board, root, c->id, &seq) ? seq + RUN_AHEAD_MAX
                                                                       : RUN_AHEAD_MAX;
}

static bool is_waited_for(uint32_t root)
{
    const struct ftc_board *b = &ftc_library.board;

    return ftc_board_is_here(b, root) && ftc_board_state(b, root) < FTC_RANK_FINALIZED;
}

/* Reads the root's progress only if the last known one is not enough, because its cache line
 * belongs to the root. */
bool ftc_run_ahead_must_wait(struct ftc_comm *c)
{
    struct ftc_running *r = c->running;
    uint32_t root;

    if (r->op.config.kind != FTC_OP_REDUCE || r->op.vrank == 0)
        return false;
    root = c->world[c->member[r->op.root]];
    if (root == r->run_ahead.root && (int32_t)(c->seq - r->run_ahead.before) < 0)
        return false;
    r->run_ahead.root = root;
    r->run_ahead.before = bound(c, root);
    return (int32_t)(c->seq - r->run_ahead.before) >= 0 && is_waited_for(root);
}
