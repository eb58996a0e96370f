/* The sends of a step, one after the other: the process may not live to carry out all of them. */
#include "check.h"
#include "internal.h"

static void send_one(struct sim *s, int rank, const struct ftc_send *send, bool is_first)
{
    struct sim_process *p = &s->process[rank];
    int to = p->member[send->to];

    sim_check_send(s, rank, to);
    sim_death_count_send(p, is_first);
    s->sent[p->seq][send->message.kind][send->message.attempt]++;
    s->exchanged_apart[p->seq] +=
        send->message.kind == FTC_MESSAGE_EXCHANGE && sim_are_apart(s, rank, to);
    sim_trace_send(s, rank, to, &send->message);
    sim_network_send(s, rank, to, &send->message, p->seq);
}

static int choose_cut(const struct sim *s, int rank, int sends, const struct sim_chooser *chooser)
{
    if (sends == 0 || s->free_crashes == 0 || !(s->scenario.free_ranks & sim_bit(rank)))
        return -1;
    return chooser->cut(chooser->context, s, rank, sends);
}

void sim_send_all(struct sim *s, int rank, const struct sim_chooser *chooser)
{
    struct sim_process *p = &s->process[rank];
    int count = s->actions.count;
    int cut = choose_cut(s, rank, count, chooser);

    for (int i = 0; i < count && p->alive; i++) {
        sim_lease_split(s, rank, true);
        if (sim_death_is_due(p, true)) {
            sim_death_crash(s, p->dies_with);
            break;
        }
        send_one(s, rank, &s->actions.send[i], i == 0);
        sim_lease_split(s, rank, false);
        if (i + 1 == cut)
            sim_death_crash_freely(s, rank);
        else if (sim_death_is_due(p, false))
            sim_death_crash(s, p->dies_with);
    }
    s->actions.count = 0;
}
