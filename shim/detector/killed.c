#include "killed.h"

#include <sys/wait.h>

enum { GIVE_WAY_NS = 10000000 }; /* after a death */

/* No more than must be: for all the time that a rank uses here the scheduler makes it wait, while
 * the others wait for it. */
static void look(uint32_t slot)
{
    struct ftc_board *board = &ftc_library.board;
    struct ftc_board_slot *s = &board->shared->slot[slot];
    int status;

    if (!ftc_lifeline_found_ended(&s->life) ||
        !ftc_lifeline_was_killed(&s->life, atomic_load(&s->pid), &status))
        return;
    ftc_board_mark_failed(board, slot, FTC_DEATH_SIGNAL, WTERMSIG(status));
}

static void let_others_go_first(uint32_t slot, uint64_t now_ns)
{
    struct ftc_board_slot *s = &ftc_library.board.shared->slot[slot];

    if (now_ns - atomic_load_explicit(&s->death_time_ns, memory_order_relaxed) < GIVE_WAY_NS)
        ftc_lifeline_give_way(&s->life, atomic_load(&s->pid), now_ns);
}

void ftc_killed_look(const struct ftc_comm *c, uint64_t now_ns)
{
    for (int i = 0; i < c->member_count; i++) {
        if (!c->dead[i])
            look(c->slot[c->member[i]]);
        else if (ftc_library.oversubscribed)
            let_others_go_first(c->slot[c->member[i]], now_ns);
    }
}
