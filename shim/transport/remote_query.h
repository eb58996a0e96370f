/* remote_query: queries to a monitor process of another host about a rank there: what the rank has
 * published and called, its call sites for the report, and with monitor = timeout its signs of
 * life. The query server of the monitor process replies from the board (monitor/query_server.h).
 *
 * Results are queried only after a death, and only of ranks that an operation waits for. Such a
 * query belongs to the attempt in which it was sent. A reply that comes in a later attempt is
 * dropped, because the rank may have died since, and other ranks may have finished the later
 * attempt without its result (doc/design.md, section 5, rule 5, and section 11).
 *
 * No function waits for a reply. The caller calls it again in each turn until it has one. */
#ifndef FTC_TRANSPORT_REMOTE_QUERY_H
#define FTC_TRANSPORT_REMOTE_QUERY_H

#include "query_reply.h"
#include "transport.h"

int ftc_remote_queries_open(struct ftc_remote_queries **queries, const struct ftc_board *board,
                            uint32_t self);
void ftc_remote_queries_close(struct ftc_remote_queries *q);

/* Copies the result of @rank, of any host, as ftc_published() does. @attempt is the attempt of this
 * rank. Returns false also while there is no reply. */
bool ftc_remote_query_published(struct ftc_transport *t, uint32_t rank, uint64_t communicator_id,
                                uint32_t seq, uint32_t attempt, size_t value_bytes,
                                struct ftc_publication *copy);

/* As above, but sets *@joined as ftc_published_attempt() does. */
bool ftc_remote_query_attempt(struct ftc_transport *t, uint32_t rank, uint64_t communicator_id,
                              uint32_t seq, uint32_t attempt, uint32_t *joined);

/* Copies the note of the call of @rank, of another host, as ftc_published_call() does. Returns
 * false also while there is no reply. */
bool ftc_remote_query_call(struct ftc_transport *t, uint32_t rank, uint64_t communicator_id,
                           uint32_t seq, struct ftc_note *note);

/* Copies part @part of the call sites of @rank, of another host, into @sites. Asks the monitor
 * process of @via, a living rank of that host. @bytes is FTC_QUERY_SITES_BYTES, or the rest for the
 * last part. Returns false while there is no reply. */
bool ftc_remote_query_sites(struct ftc_transport *t, uint32_t via, uint32_t rank, uint32_t part,
                            void *sites, size_t bytes);

/* Sets *@heartbeat to the number of signs of life of @rank, of another host (board/activity.h).
 * Returns false while there is no reply. */
bool ftc_remote_query_heartbeat(struct ftc_transport *t, uint32_t rank, uint64_t *heartbeat);

/* Asks the monitor process of @rank, of any host, to kill that rank as silent, unless the rank has
 * given a sign of life after @heartbeat. The only reply is the rank's death, which is reported as
 * any other. Until then this may be called again. */
void ftc_remote_query_kill(struct ftc_transport *t, uint32_t rank, uint64_t heartbeat);

#endif
