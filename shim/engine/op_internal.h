/* op_internal: what the phases of an operation share. */
#ifndef FTC_OP_INTERNAL_H
#define FTC_OP_INTERNAL_H

#include "op.h"

/* Appends a send unless @to is known to be dead. */
void ftc_op_send(struct ftc_op *op, struct ftc_actions *out, int to, struct ftc_message message);

/* The only way from one phase to another. */
void ftc_op_enter(struct ftc_op *op, enum ftc_phase phase);

static inline bool ftc_op_is_dead(const struct ftc_op *op, int rank)
{
    return op->dead[rank] != 0;
}

/* reduce.c: up-correction and tree phase */
void ftc_reduce_start(struct ftc_op *op, struct ftc_actions *out);
void ftc_reduce_advance(struct ftc_op *op, struct ftc_actions *out);
enum ftc_step_outcome ftc_reduce_message(struct ftc_op *op, int from, const struct ftc_message *m);
void ftc_reduce_peer_failed(struct ftc_op *op, int rank);
bool ftc_reduce_take_lock(struct ftc_op *op, int from, const struct ftc_result *published);
bool ftc_reduce_awaits(const struct ftc_op *op, int rank);

/* bcast.c: dissemination and correction */
void ftc_bcast_forward(struct ftc_op *op, struct ftc_actions *out);

/* exchange.c: recursive doubling */
int ftc_exchange_steps(int n);
void ftc_exchange_start(struct ftc_op *op);
void ftc_exchange_advance(struct ftc_op *op, struct ftc_actions *out);
bool ftc_exchange_awaits(const struct ftc_op *op, int rank);
enum ftc_step_outcome ftc_exchange_message(struct ftc_op *op, int from,
                                           const struct ftc_message *m);

/* op.c */
void ftc_op_hold_lock(struct ftc_op *op, const struct ftc_result *lock);
void ftc_op_find_excess(struct ftc_op *op, struct ftc_actions *out);
void ftc_op_decide(struct ftc_op *op, enum ftc_verdict verdict, struct ftc_actions *out);

#endif
