/* query_server: serves other hosts in a monitor process: replies to ranks' remote queries
 * (transport/query_reply.h) and sends agents the updates of this host (board/replica.h). With
 * monitor = timeout it kills ranks that other hosts report as silent. Runs in a thread of its own,
 * only in jobs on several hosts.
 *
 * Each monitor process of a host serves from the host's board, so any of them can replace one that
 * ends. */
#ifndef FTC_MONITOR_QUERY_SERVER_H
#define FTC_MONITOR_QUERY_SERVER_H

#include "monitored.h"

/* Serves each process that connects to @rank->listener and proves that it belongs to the job, until
 * this process ends. Must be called in a thread of its own. */
void ftc_query_server_run(struct ftc_monitored *rank);

/* Waits, for a second at most, until the last update is sent, because this process is about to end.
 * Does nothing without other hosts. */
void ftc_query_server_finish(struct ftc_monitored *rank);

/* Time out of reach after which an agent has to connect again. */
enum { FTC_QUERY_SERVER_SILENT_MS = 3000 };

/* Returns the bytes of the longest frame on connections with a query server. */
size_t ftc_query_server_frame_max(const struct ftc_board *board);

#endif
