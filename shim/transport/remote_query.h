/* remote_query: asks a monitor process of another host what the board there has of a rank: what it
 * has published and called, its call sites for the report, and with monitor = timeout its signs of
 * life. The monitor process's query server replies (monitor/query_server.h).
 *
 * Results are queried only after a death, and only of ranks that an operation waits for. Such a
 * query belongs to the attempt in which it was sent. A reply that comes in a later attempt is
 * dropped, because the rank may have died meanwhile, and others may count on that (doc/design.md,
 * section 5, rule 5, and section 11). */
#ifndef FTC_TRANSPORT_REMOTE_QUERY_H
#define FTC_TRANSPORT_REMOTE_QUERY_H

#include "query_reply.h"
#include "transport.h"

int ftc_remote_queries_open(struct ftc_remote_queries **queries, const struct ftc_board *board,
                            uint32_t self);
void ftc_remote_queries_close(struct ftc_remote_queries *q);

/* Do what ftc_published() and ftc_published_attempt() do, for a rank of any host. Return false also
 * as long as there is no reply. @attempt: of this rank. No function here waits: each is to be
 * called in each turn. */
bool ftc_remote_query_published(struct ftc_transport *t, uint32_t rank, uint64_t communicator_id,
                                uint32_t seq, uint32_t attempt, size_t value_bytes,
                                struct ftc_publication *copy);
bool ftc_remote_query_attempt(struct ftc_transport *t, uint32_t rank, uint64_t communicator_id,
                              uint32_t seq, uint32_t attempt, uint32_t *joined);

/* Does what ftc_published_call() does, for a rank of another host. Returns false also as long as
 * there is no reply. */
bool ftc_remote_query_call(struct ftc_transport *t, uint32_t rank, uint64_t communicator_id,
                           uint32_t seq, struct ftc_note *note);

/* Copies part @part of the call sites of @rank, of another host, into @sites. Asks the monitor
 * process of @via, a living rank of that host. @bytes: FTC_QUERY_SITES_BYTES, or for the last part
 * those that are left. Returns false as long as there is no reply. */
bool ftc_remote_query_sites(struct ftc_transport *t, uint32_t via, uint32_t rank, uint32_t part,
                            void *sites, size_t bytes);

/* Counts the signs of life of @rank, of another host (board/activity.h). Returns false as long as
 * there is no reply. */
bool ftc_remote_query_heartbeat(struct ftc_transport *t, uint32_t rank, uint64_t *heartbeat);

/* Has the monitor process of @rank, of any host, kill that rank as silent, unless the rank has
 * given a sign of life after @heartbeat. There is no other reply than its death, which comes as any
 * other; until then this may be called again. */
void ftc_remote_query_kill(struct ftc_transport *t, uint32_t rank, uint64_t heartbeat);

#endif
