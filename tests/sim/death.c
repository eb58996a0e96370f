/* Death: who is dead sends, receives and shows nothing any more, and the others will hear of it. */
#include "internal.h"

static void forget_early(struct sim *s, struct sim_process *p)
{
    while (p->early.first >= 0) {
        int32_t message = p->early.first;

        p->early.first = s->message[message].next;
        sim_network_free(s, message);
    }
    p->early_count = 0;
}

/* Nothing that concerns @rank itself happens any more. */
static void forbid_all(struct sim *s, int rank)
{
    sim_event_forbid(s, SIM_EVENT_START, rank, rank);
    sim_event_forbid(s, SIM_EVENT_PUBLISH, rank, rank);
    sim_event_forbid(s, SIM_EVENT_CRASH, rank, rank);
    sim_event_forbid(s, SIM_EVENT_DATA, rank, rank);
    for (int peer = 0; peer < s->scenario.n; peer++) {
        sim_event_forbid(s, SIM_EVENT_NEWS, rank, peer);
        sim_event_forbid(s, SIM_EVENT_READ, rank, peer);
        sim_event_forbid(s, SIM_EVENT_ANSWER, rank, peer);
        sim_event_forbid(s, SIM_EVENT_LOSE, rank, peer);
    }
}

void sim_death_close_link(struct sim *s, int from, int to)
{
    if (sim_are_apart(s, from, to) && sim_network_is_under_way(s, from, to))
        sim_event_allow(s, SIM_EVENT_LOSE, to, from);
}

/* A connection to another host ends with its sender, and what the kernel has not sent by then does
 * too. */
static void let_messages_be_lost(struct sim *s, int rank)
{
    for (int peer = 0; peer < s->scenario.n; peer++)
        if (s->process[peer].alive)
            sim_death_close_link(s, rank, peer);
}

static void bury(struct sim *s, int rank)
{
    forbid_all(s, rank);
    sim_network_drop_to(s, rank);
    forget_early(s, &s->process[rank]);
    sim_board_refresh_of(s, rank);
    let_messages_be_lost(s, rank);
    if (s->scenario.has_agents)
        sim_host_bury(s, rank);
    for (int i = 0; !s->scenario.has_agents && i < s->scenario.n; i++)
        if (s->process[i].alive && s->process[i].stage != SIM_STAGE_FINISHED)
            sim_event_allow(s, SIM_EVENT_NEWS, i, rank);
}

static void forbid_free_crashes(struct sim *s)
{
    for (int rank = 0; rank < s->scenario.n; rank++)
        sim_event_forbid(s, SIM_EVENT_CRASH, rank, rank);
}

static void die_in_the_middle(struct sim *s, int rank)
{
    if (s->scenario.op[s->process[rank].seq].is_in_rounds)
        sim_rounds_die(s, rank);
    else
        sim_data_die(s, rank);
}

void sim_death_crash(struct sim *s, uint64_t ranks)
{
    if (s->scenario.has_agents)
        sim_host_take_ends(s, ranks);
    ranks &= ~s->dead;
    sim_trace_crash(s, ranks);
    s->dead |= ranks;
    for (int rank = 0; rank < s->scenario.n; rank++)
        if (ranks & sim_bit(rank) && s->process[rank].stage == SIM_STAGE_DATA)
            die_in_the_middle(s, rank);
    for (int rank = 0; rank < s->scenario.n; rank++)
        if (ranks & sim_bit(rank))
            s->process[rank].alive = false;
    for (int rank = 0; rank < s->scenario.n; rank++)
        if (ranks & sim_bit(rank))
            bury(s, rank);
    if (s->scenario.has_agents)
        sim_lease_refresh(s);
}

void sim_death_crash_freely(struct sim *s, int rank)
{
    sim_death_crash(s, sim_bit(rank));
    if (--s->free_crashes == 0)
        forbid_free_crashes(s);
}
