/* service: what a monitor process does for other hosts: it sends their agents the news of this one
 * (board/replica.h), and answers ranks that ask what ranks of this host have published
 * (transport/answer.h). With monitor = timeout it ends ranks that others say are silent. In a
 * thread of its own; only in jobs on several hosts.
 *
 * Each monitor process of a host can do it, from the host's board, so none is missed when it
 * ends. */
#ifndef FTC_MONITOR_SERVICE_H
#define FTC_MONITOR_SERVICE_H

#include "monitored.h"

/* Serves whoever comes to @rank->listener and proves that he is of the job, until the process ends.
 * To be called in a thread of its own. */
void ftc_service_run(struct ftc_monitored *rank);

/* This process is about to end: waits, for a second at most, until the last news are sent. Does
 * nothing without other hosts. */
void ftc_service_finish(struct ftc_monitored *rank);

/* An agent that is out of reach for so long has to connect again. */
enum { FTC_SERVICE_SILENT_MS = 3000 };

/* Bytes of the longest frame on connections with it. */
size_t ftc_service_frame_max(const struct ftc_board *board);

#endif
