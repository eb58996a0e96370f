/* reduce: up-correction, then the tree phase (paper, sections "Up-Correction" and "Algorithm"). */
#ifndef FTC_ENGINE_REDUCE_H
#define FTC_ENGINE_REDUCE_H

#include "state.h"

enum ftc_reduce_outcome {
    FTC_REDUCE_WAITS,         /* waits for messages */
    FTC_REDUCE_HAS_VALUE,     /* root: has op->value, or a LOCK */
    FTC_REDUCE_HAS_NOTHING,   /* root: no subtree is usable */
    FTC_REDUCE_HAS_PASSED_ON, /* other ranks: this rank's part is on its way */
};

/* Starts the up-correction: all its sends come before the receives. */
void ftc_reduce_start(struct ftc_op *op, struct ftc_actions *out);

/* Goes on as far as the messages that have arrived allow. Returns each outcome but WAITS once.
 * After it the caller must leave the phase TREE. */
enum ftc_reduce_outcome ftc_reduce_advance(struct ftc_op *op, struct ftc_actions *out);

enum ftc_step_outcome ftc_reduce_message(struct ftc_op *op, int from, const struct ftc_message *m);
void ftc_reduce_peer_failed(struct ftc_op *op, int rank);

/* Takes @published, with which @from has left the operation, in place of the messages that @from
 * will not send. Returns false if no message of @from was awaited. */
bool ftc_reduce_take_lock(struct ftc_op *op, int from, const struct ftc_result *published);

/* Returns whether a message of @rank is awaited. */
bool ftc_reduce_awaits(const struct ftc_op *op, int rank);

#endif
