/* operation: one fault-tolerant reduce or allreduce, as a state machine without I/O.
 *
 * Events go in (start, a message, news of a death, a published result), and sends come out. The
 * caller moves messages and keeps time. The engine never blocks, allocates, or reads anything but
 * its arguments, so the library and the simulator run the same object code.
 *
 * Sources: Küttler and Härtig, sections "Reduce" and "Allreduce"; doc/design.md, sections 2 to
 * 5. */
#ifndef FTC_ENGINE_OPERATION_H
#define FTC_ENGINE_OPERATION_H

#include "state.h"

enum ftc_event_kind {
    FTC_EVENT_START,
    FTC_EVENT_MESSAGE,     /* from @peer */
    FTC_EVENT_PEER_FAILED, /* @peer is dead; may come before START and before its last messages */
    FTC_EVENT_PUBLISHED, /* @peer, alive, has published this operation (only if ftc_op_awaits()) */
    FTC_EVENT_JOINED,    /* @peer has joined attempt @attempt and has not published */
};

struct ftc_event {
    enum ftc_event_kind kind;
    int peer;
    const struct ftc_message *message;  /* borrowed for the step */
    const struct ftc_result *published; /* borrowed for the step */
    uint32_t attempt;
};

/* Advances @op by one event and appends to @out what the caller must send. When the phase becomes
 * DONE, op->result holds the outcome. The caller then carries out the remaining sends. It publishes
 * the result of an allreduce before it returns to the program (doc/design.md, section 5, rule
 * 1). */
enum ftc_step_outcome ftc_op_step(struct ftc_op *op, const struct ftc_event *event,
                                  struct ftc_actions *out);

/* Returns whether @op waits for a message, a publication or the join of @rank. The silence of other
 * ranks means nothing. */
bool ftc_op_expects(const struct ftc_op *op, int rank);

/* Returns whether @op needs to know how far @rank has got. If so, the caller must report PUBLISHED
 * or JOINED when one of them holds. */
bool ftc_op_confirms(const struct ftc_op *op, int rank);

/* Returns whether @op waits for @rank, so that a result which @rank has published would help
 * (doc/design.md, section 5, rules 3 and 4, and the optimistic attempt). */
bool ftc_op_awaits(const struct ftc_op *op, int rank);

/* Returns whether one message of @op may be sent for all other ranks: @op is in an exchange whose
 * plan multicasts. */
static inline bool ftc_op_multicasts(const struct ftc_op *op)
{
    return op->phase == FTC_PHASE_EXCHANGE && op->config.exchange_plan->multicasts;
}

/* Returns the rank whose message @op needs next. To be called only if ftc_op_multicasts(). */
static inline int ftc_op_multicast_sender(const struct ftc_op *op)
{
    return op->config.exchange_plan->step[op->exchange_step].peer;
}

/* Returns the one rank whose publication @op awaits in an exchange, without any failure; -1 if
 * there is none. */
static inline int ftc_op_leader(const struct ftc_op *op)
{
    const struct ftc_exchange_step *step;

    if (op->phase != FTC_PHASE_EXCHANGE)
        return -1;
    step = &op->config.exchange_plan->step[op->exchange_step];
    return step->act == FTC_EXCHANGE_READ ? step->peer : -1;
}

#endif
