/* stir: whether a rank that sits in one call all the time does something there that its marks do
 * not show. The kernel knows: the rank is stopped, reads or writes a file, or touches more and more
 * of its memory, as it moves data; another thread of it computes; or it computes between the calls
 * by which it looks for something. */
#ifndef FTC_MONITOR_STIR_H
#define FTC_MONITOR_STIR_H

#include "monitored.h"

enum { FTC_STIR_THREADS = 64 };

/* What was seen at the last look. Zero at the start. */
struct ftc_stir {
    unsigned long io_bytes; /* read and written */
    unsigned long
        referenced_kb; /* of its memory, since that was last forgotten; 0: it has not been */
    unsigned long polls;
    unsigned long ran_ns, delayed_ns; /* on a core; ready to run, without a core */
    unsigned long looked_ns;          /* CLOCK_MONOTONIC */
    struct ftc_stir_thread {
        int id;
        int looks;            /* since it was seen to have run */
        unsigned long ran_ns; /* for which it had run then, or RECENT_LOOKS looks later */
    } thread[FTC_STIR_THREADS];
};

/* Looks at @rank's program, which is in a call: true if it stirs, or at the first look. Keeps what
 * it has seen in @seen. In *@share how much of the time since the last look the program could run,
 * in thousandths: less than all of it where other processes have its core. */
bool ftc_stir_look(struct ftc_stir *seen, const struct ftc_monitored *rank, uint32_t *share);

#endif
