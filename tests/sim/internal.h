/* internal: what the parts of the cluster share. */
#ifndef FTC_SIM_INTERNAL_H
#define FTC_SIM_INTERNAL_H

#include "sim.h"

/* event.c: the set of events that are possible now */
void sim_event_allow(struct sim *s, enum sim_event_kind kind, int process, int peer);
void sim_event_forbid(struct sim *s, enum sim_event_kind kind, int process, int peer);
void sim_event_allow_delivery(struct sim *s, int32_t message);
void sim_event_forbid_delivery(struct sim *s, int32_t message);
static inline bool sim_are_apart(const struct sim *s, int rank, int peer)
{
    return s->scenario.host[rank] != s->scenario.host[peer];
}

/* Of a host that the scenario names. */
static inline int sim_host_number(const struct sim *s, int host)
{
    return s->host[__builtin_ctzll(scenario_ranks_on(&s->scenario, host))];
}

static inline bool sim_event_is_allowed(const struct sim *s, enum sim_event_kind kind, int process,
                                        int peer)
{
    return s->position[((int)kind * s->scenario.n + process) * s->scenario.n + peer] >= 0;
}

/* network.c: messages under way */
int32_t sim_network_send(struct sim *s, int from, int to, const struct ftc_message *m, int seq);
/* Takes a message out of its channel, so that the next one can come. */
void sim_network_take(struct sim *s, int32_t message);
void sim_network_free(struct sim *s, int32_t message);
/* Nobody receives at @rank any more. */
void sim_network_drop_to(struct sim *s, int rank);
/* Whether anything is under way, in an order; and its end. */
bool sim_network_is_under_way(const struct sim *s, int from, int to);
void sim_network_drop(struct sim *s, int from, int to);
/* What can be delivered, after a split has begun or was mended. */
void sim_network_refresh(struct sim *s);
/* Decodes into @m; what it points to lasts until the next call. */
void sim_network_decode(struct sim *s, int32_t message, struct ftc_envelope *envelope,
                        struct ftc_message *m);
static inline void *sim_network_wire(const struct sim *s, int32_t message)
{
    return s->wire + (size_t)message * s->wire_stride;
}
void sim_queue_append(struct sim *s, struct sim_queue *q, int32_t message);

/* process.c: the life of a process */
void sim_process_begin(struct sim *s);
void sim_process_step(struct sim *s, struct sim_event event, const struct sim_chooser *chooser);
/* Of those @ranks; their hosts, numbered in the order in which they first appear, in @of. */
void sim_process_init_topology(const struct sim *s, uint64_t ranks, struct ftc_topology *t,
                               int32_t *of, void *storage);
/* Engine rank of an original rank that is a member, and the other way round for a list. */
int sim_process_index(const struct sim_process *p, int rank);
uint64_t sim_process_ranks(const struct sim_process *p, const struct ftc_failure_info *list);

/* board.c: what the others see of a process */
/* Brings up to date what @rank can read, and what can be read of @peer. */
void sim_board_refresh_by(struct sim *s, int rank);
void sim_board_refresh_of(struct sim *s, int peer);
/* The answers that can come to @rank, after a split has begun or was mended. */
void sim_board_refresh_answers(struct sim *s, int rank);
/* What @rank sees of @peer, as an event; @result is memory for it. */
struct ftc_event sim_board_read(struct sim *s, int rank, int peer, struct ftc_result *result);
/* The same for a peer of another host: what it shows now is under way to @rank, and has arrived.
 * False if it is of no use any more. */
void sim_board_ask(struct sim *s, int rank, int peer);
bool sim_board_hear(struct sim *s, int rank, int peer, struct ftc_event *event,
                    struct ftc_result *result);

/* send.c: carries out sim.actions of @rank */
void sim_send_all(struct sim *s, int rank, const struct sim_chooser *chooser);

/* death.c */
/* All of @ranks die at this instant. */
void sim_death_crash(struct sim *s, uint64_t ranks);
/* Whether the scenario has @p die before, or after, the send that is next or was last. */
static inline bool sim_death_is_due(const struct sim_process *p, bool before)
{
    return p->dies_at == p->sends + before && p->dies_before == before;
}
/* To die before a send that is not the first of its step is to die after the one before it. */
static inline void sim_death_count_send(struct sim_process *p, bool is_first)
{
    p->sends++;
    if (is_first && p->sends < SIM_FIRST_SENDS)
        p->first_sends |= sim_bit(p->sends);
}
/* What is under way from @from, dead, to @to of another host may be lost. */
void sim_death_close_link(struct sim *s, int from, int to);
/* @rank dies because the chooser wants it. */
void sim_death_crash_freely(struct sim *s, int rank);

/* trace.c: a run in words, if somebody listens */
void sim_trace_send(const struct sim *s, int from, int to, const struct ftc_message *m);
void sim_trace_event(struct sim *s, struct sim_event event);
void sim_trace_crash(const struct sim *s, uint64_t ranks);
void sim_trace_outcome(const struct sim *s, int process);
void sim_trace_note(const struct sim *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
