#include "killed.h"

#include "board/death.h"
#include "board/rank_state.h"

#include <sys/wait.h>

enum { GIVE_WAY_NS = 10000000 }; /* time after a death in which the dying process gives way */

/* Marks rank @world dead on the board if a signal has killed it. Does as little as possible: the
 * scheduler makes the calling rank wait later for the time that it uses here, and other ranks then
 * wait for the calling rank. */
static void look(uint32_t world)
{
    struct ftc_board *board = &ftc_library.board;
    struct ftc_lifeline *life = ftc_board_lifeline(board, world);
    int status;

    if (!ftc_lifeline_found_ended(life) ||
        !ftc_lifeline_was_killed(life, ftc_board_pid(board, world), &status))
        return;
    ftc_board_mark_failed(board, world, FTC_DEATH_SIGNAL, WTERMSIG(status));
}

static void let_others_go_first(uint32_t world, uint64_t now_ns)
{
    const struct ftc_board *board = &ftc_library.board;

    if (now_ns - ftc_death_time_ns(board, world) < GIVE_WAY_NS)
        ftc_lifeline_give_way(ftc_board_lifeline(board, world), ftc_board_pid(board, world),
                              now_ns);
}

void ftc_killed_look(struct ftc_comm *c, uint64_t now_ns)
{
    for (int left = ftc_comm_check_count(c); left > 0; left--) {
        int member = ftc_comm_next_member(c, &c->killed);
        uint32_t world = c->world[c->member[member]];

        if (!c->dead[member])
            look(world);
        else if (ftc_library.oversubscribed)
            let_others_go_first(world, now_ns);
    }
}
