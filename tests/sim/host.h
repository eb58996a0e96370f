/* host: what is known on a host of others, where several are simulated with their agents
 * (scenario.h, agents=1).
 *
 * Each host has a board, which says who is dead: the library's own (shim/board), in the private
 * memory of the simulator. A death is on the board of its own host at once, as the monitor process
 * there has seen it. What another host shows of it is under way until the agent of this one enters
 * it; and the ranks of a host learn of deaths, each in its own time, once their board has counted
 * them. A host that is lost is told of by the authority (lease.h). Agents that end, and whoever
 * takes over, may hear the same again. */
#ifndef FTC_SIM_HOST_H
#define FTC_SIM_HOST_H

#include "board/lease.h"
#include "lease.h"

struct sim;

struct sim_host {
    struct ftc_board board;
    uint64_t ranks;   /* on it */
    uint64_t untold;  /* ranks of others, dead, whose news are under way to it */
    uint64_t unheard; /* lost hosts, which it has not been told */
    bool is_gone;     /* all processes there have ended */
    bool is_lost;     /* the authority has declared it so, */
    enum ftc_host_loss how;
    struct sim_lease lease;
    uint32_t deaths_seen; /* on the board, when its ranks were last told to look */
    int news;             /* that its agents have come to */
};

/* Bytes of a board, which are zero at the beginning of a run. */
size_t sim_host_board_bytes(int ranks);

/* All hosts of the scenario; the memory of their boards is there. */
void sim_host_begin(struct sim *s);

/* All of @ranks die: so do the hosts of which they are all. */
void sim_host_take_ends(struct sim *s, uint64_t ranks);

/* @rank has died: its own host shows it. */
void sim_host_bury(struct sim *s, int rank);

/* What @host can hear now. */
void sim_host_refresh(struct sim *s, int host);

/* The agent of @host comes to the news of the death of @rank, of another one. */
void sim_host_hear(struct sim *s, int host, int rank);

/* ... to that of the loss of a host. */
void sim_host_hear_loss(struct sim *s, int host, int lost);

#endif
