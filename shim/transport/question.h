/* question: what the board of another host has of a rank there, asked of a monitor process, which
 * answers from it (monitor/service.h): what the rank has published, what it has called, for the
 * report its call sites, and with monitor = timeout whether it gives signs of life.
 *
 * Results only after a death, and only of ranks whom an operation waits for. Such a question
 * belongs to the attempt in which it was asked: an answer that comes in a later one is dropped,
 * because the rank may have died meanwhile, and others may count on that (doc/design.md, section 5,
 * rule 5, and section 11). */
#ifndef FTC_TRANSPORT_QUESTION_H
#define FTC_TRANSPORT_QUESTION_H

#include "answer.h"
#include "transport.h"

int ftc_questions_open(struct ftc_questions **questions, const struct ftc_board *board,
                       uint32_t self);
void ftc_questions_close(struct ftc_questions *q);

/* As ftc_published() and ftc_published_attempt(), of a rank of whatever host; false also as long as
 * there is no answer. @attempt: of the asking rank. Never waits: to be called in each turn. */
bool ftc_ask_published(struct ftc_transport *t, uint32_t rank, uint64_t communicator_id,
                       uint32_t seq, uint32_t attempt, size_t value_bytes,
                       struct ftc_publication *copy);
bool ftc_ask_attempt(struct ftc_transport *t, uint32_t rank, uint64_t communicator_id, uint32_t seq,
                     uint32_t attempt, uint32_t *joined);

/* As ftc_published_call(), of a rank of another host. Likewise. */
bool ftc_ask_call(struct ftc_transport *t, uint32_t rank, uint64_t communicator_id, uint32_t seq,
                  struct ftc_note *note);

/* Part @part of the call sites of @rank, of another host, asked of the monitor process of @via, a
 * living rank of that host: @sites has its @bytes, which are FTC_ANSWER_SITES_BYTES or, of the last
 * part, what is left. False as long as there is no answer. Never waits either. */
bool ftc_ask_sites(struct ftc_transport *t, uint32_t via, uint32_t rank, uint32_t part, void *sites,
                   size_t bytes);

/* How often @rank, of another host, has given a sign of life (board/activity.h). Likewise. */
bool ftc_ask_heartbeat(struct ftc_transport *t, uint32_t rank, uint64_t *heartbeat);

/* Has @rank, of whatever host, ended as one that is silent, unless it has given another sign of
 * life since. Its death, which comes as any other, is the answer; until then this may be called
 * again. */
void ftc_ask_end(struct ftc_transport *t, uint32_t rank, uint64_t heartbeat);

#endif
