/* scheduling: a place at the front of the queue for a core.
 *
 * Hydra starts each rank in a session of its own. With more ranks than cores, a rank that yields
 * then gives its core away for a whole slice of another process, because sched_yield() reorders
 * only within the group of tasks of one session. A task with a short slice runs sooner after it has
 * waited. On a busy machine, with 4 and 8 ranks on 2 cores, an allreduce of 8 bytes took 151 and
 * 640 us with a short slice, and 2766 and 8887 us without. */
#ifndef FTC_SYSTEM_SCHEDULING_H
#define FTC_SYSTEM_SCHEDULING_H

/* Requests a short slice for the calling thread and for all that it creates from now on. Needs no
 * privilege. Linux before 6.12 ignores it. */
void ftc_scheduling_ask_for_short_slice(void);

#endif
