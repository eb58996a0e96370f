/* floating: the floating-point environment of a call. An operation combines with the modes that the
 * program's thread has in the call (rounding, flushing of small numbers to zero), whichever thread
 * goes on with it. Exceptions do not trap meanwhile, because a handler of the program's would run
 * with the library's locks held, or on the library's thread. What was raised is raised again where
 * the program's thread is about to return from the library. */
#ifndef FTC_SYSTEM_FLOATING_H
#define FTC_SYSTEM_FLOATING_H

#include <stdbool.h>
#include <stdint.h>

/* What a thread can set: rounding, flushing to zero, and which exceptions trap. */
struct ftc_float_modes {
    uint64_t vector;  /* of all types but the next */
    uint32_t stacked; /* of x86's long double */
};

struct ftc_floating {
    struct ftc_float_modes modes;
    bool uses_stacked, has_traps;
    const void *thread; /* that has made the call */
    unsigned raised;    /* exceptions that the program's thread has not seen yet */
};

/* Whether exceptions trap in this thread. */
bool ftc_floating_traps(void);

/* Notes the modes of this thread, which makes the call; those of stacked registers, which take a
 * while to read, if it @uses_stacked. */
void ftc_floating_begin(struct ftc_floating *f, bool uses_stacked);

/* Calls @work with @argument in the modes of the call. */
void ftc_floating_run(struct ftc_floating *f, void (*work)(void *argument), void *argument);

/* Calls @work in the modes that a program begins with, in which nothing traps. Threads begin with
 * those of the thread that makes them. */
void ftc_floating_run_plainly(void (*work)(void *argument), void *argument);

/* Raises in this thread what was raised, once. Called without locks: a handler of the program's may
 * not return. */
void ftc_floating_raise(struct ftc_floating *f);

#endif
