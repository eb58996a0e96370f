/* workers: processes that share the runs of an exploration. */
#ifndef FTC_SIM_WORKERS_H
#define FTC_SIM_WORKERS_H

#include "explore.h"

/* Explores the share @job of @jobs and adds up in @total, which the caller watches meanwhile; stops
 * soon after a broken rule. */
typedef void (*worker)(int job, int jobs, struct explore_total *total, const void *context);

/* Runs @jobs workers, with progress on stderr (@expected runs; 0: unknown), and adds up. 0, or 1 if
 * a rule was broken or a worker died. */
int workers_run(worker work, int jobs, uint64_t expected, const void *context,
                struct explore_total *sum);

#endif
