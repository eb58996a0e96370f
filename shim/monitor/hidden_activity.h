/* hidden_activity: whether a rank that stays in one call does something there that its marks do not
 * show. The kernel shows it: the rank is stopped, or reads or writes a file, or touches more and
 * more of its memory because it moves data. Or another of its threads computes, or it computes
 * between the calls by which it polls. */
#ifndef FTC_MONITOR_HIDDEN_ACTIVITY_H
#define FTC_MONITOR_HIDDEN_ACTIVITY_H

#include "monitored.h"

enum { FTC_HIDDEN_THREADS = 64 };

/* Findings of the last look. Zero at the start. */
struct ftc_hidden_activity {
    unsigned long io_bytes; /* bytes read and written */
    /* kB of memory touched by the first of two looks that are compared; 0: before such a look. */
    unsigned long referenced_kb;
    unsigned long polls;
    unsigned long ran_ns, delayed_ns; /* time on a core; time ready to run without a core */
    unsigned long looked_ns;          /* CLOCK_MONOTONIC */
    struct ftc_hidden_thread {
        int id;
        int looks;            /* looks since it was last seen to have run */
        unsigned long ran_ns; /* time for which it had run then, or RECENT_CHECKS looks later */
    } thread[FTC_HIDDEN_THREADS];
};

/* Checks @rank's program, which is in a call. Returns true if it is active, or at the first look.
 * Keeps its findings in @seen. Sets *@share to how much of the time since the last look the program
 * could run, in thousandths: less than all of it where other processes have its core. */
bool ftc_hidden_activity_check(struct ftc_hidden_activity *seen, const struct ftc_monitored *rank,
                               uint32_t *share);

#endif
