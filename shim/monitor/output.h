/* output: the pipes by which the launcher reads what a rank writes.
 *
 * Hydra's proxy answers PMI only as long as it has something to read from any rank's standard
 * output or error; then it waits for the ends of its processes alone. It hands each process a
 * second copy of these pipes, so that also a program whose output goes elsewhere keeps them open,
 * without knowing it. */
#ifndef FTC_MONITOR_OUTPUT_H
#define FTC_MONITOR_OUTPUT_H

#include <sys/types.h>

/* A descriptor of this process, not standard output, that writes into a pipe which @launcher, a
 * process, reads and does not write itself: standard error if it is one; -1 if there is none. */
int ftc_output_to(pid_t launcher);

#endif
