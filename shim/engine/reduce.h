/* reduce: up-correction, then the tree phase (paper, sections "Up-Correction" and "Algorithm"). */
#ifndef FTC_ENGINE_REDUCE_H
#define FTC_ENGINE_REDUCE_H

#include "state.h"

enum ftc_reduce_outcome {
    FTC_REDUCE_WAITS,         /* for messages */
    FTC_REDUCE_HAS_VALUE,     /* the root: op->value, or a LOCK */
    FTC_REDUCE_HAS_NOTHING,   /* the root: no subtree is usable */
    FTC_REDUCE_HAS_PASSED_ON, /* any other rank: its part is on its way to its parent */
};

/* All sends of the up-correction first, then the receives. */
void ftc_reduce_start(struct ftc_op *op, struct ftc_actions *out);

/* Goes on as far as what has arrived allows. Each outcome but WAITS comes once: the caller then
 * leaves the phase TREE. */
enum ftc_reduce_outcome ftc_reduce_advance(struct ftc_op *op, struct ftc_actions *out);

enum ftc_step_outcome ftc_reduce_message(struct ftc_op *op, int from, const struct ftc_message *m);
void ftc_reduce_peer_failed(struct ftc_op *op, int rank);

/* @from has left the operation with @published: it stands in for the messages that it will not
 * send. False if none was waited for. */
bool ftc_reduce_take_lock(struct ftc_op *op, int from, const struct ftc_result *published);

/* Whether a message of @rank is waited for. */
bool ftc_reduce_awaits(const struct ftc_op *op, int rank);

#endif
