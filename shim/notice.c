#include "notice.h"

#include <sys/wait.h>

/* To let others go first (ftc_life_give_way()) is left to the monitor process: the scheduler makes
 * a rank wait for all the time that it takes here, while the others wait for the rank. */
static void look(uint32_t slot)
{
    struct ftc_board *board = &ftc_library.board;
    struct ftc_board_slot *s = &board->shared->slot[slot];
    int status;

    if (!ftc_life_found_ended(&s->life) ||
        !ftc_life_was_killed(&s->life, atomic_load(&s->pid), &status))
        return;
    ftc_board_mark_failed(board, slot, FTC_DEATH_SIGNAL, WTERMSIG(status));
}

void ftc_notice_deaths(const struct ftc_comm *c)
{
    for (int i = 0; i < c->member_count; i++)
        if (!c->dead[i])
            look(c->slot[c->member[i]]);
}
