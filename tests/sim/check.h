/* check: the rules that a run must keep, seen from outside the engine.
 *
 * A broken rule is recorded in sim.violation by its name, which is that of the function that checks
 * it or is said there. "Reduce 3" is item 3 of the paper's section "Semantics" of reduce,
 * "Allreduce 3" that of allreduce.
 */
#ifndef FTC_SIM_CHECK_H
#define FTC_SIM_CHECK_H

#include "sim.h"

/* Records the first broken rule. */
void sim_violation(struct sim *s, const char *rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* @rank returns from operation @seq. */
void sim_check_delivery(struct sim *s, int seq, int rank);

/* @from is about to send to @to. */
void sim_check_send(struct sim *s, int from, int to);

/* @rank has heard that its try of a large operation is incomplete. */
void sim_check_try(struct sim *s, int rank);

/* @rank has to keep a message of operation @seq. */
void sim_check_early(struct sim *s, int seq, int rank);

/* The engine at @to took a message of @from for one that no correct peer sends. */
void sim_check_refusal(struct sim *s, int seq, int from, int to, enum ftc_message_kind kind);

/* The board of @host has changed. */
void sim_check_board(struct sim *s, int host);

/* @host stops, as its lease is over, or is declared lost. */
void sim_check_stop(struct sim *s, int host);
void sim_check_loss(struct sim *s, int host);

/* Whether an allreduce of @members begins with an exchange. */
bool sim_exchanges(const struct scenario *c, uint64_t members);

/* Operation @seq is over everywhere. */
void sim_check_message_count(struct sim *s, int seq);

/* Nothing can happen any more. */
void sim_check_end(struct sim *s);

#endif
