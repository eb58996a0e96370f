/* floating: the floating-point environment of a call. An operation combines values with the modes
 * that the program's thread has in the call (rounding, flushing of small numbers to zero),
 * whichever thread advances it. Exceptions do not trap meanwhile, because a handler of the program
 * would run with the library's locks held, or on the library's thread. Exceptions that were raised
 * are raised again when the program's thread is about to return from the library. */
#ifndef FTC_SYSTEM_FLOATING_H
#define FTC_SYSTEM_FLOATING_H

#include <stdbool.h>
#include <stdint.h>

/* Modes that a thread can set: rounding, flushing to zero, and which exceptions trap. */
struct ftc_float_modes {
    uint64_t vector;  /* modes of all types but long double on x86 */
    uint32_t stacked; /* modes of x86's long double */
};

struct ftc_floating {
    struct ftc_float_modes modes;
    bool uses_stacked, has_traps;
    const void *thread; /* thread that has made the call */
    unsigned raised;    /* exceptions that the program's thread has not seen yet */
};

/* Returns whether exceptions trap in this thread. */
bool ftc_floating_traps(void);

/* Stores the modes of this thread, which makes the call. Reads the modes of the stacked registers,
 * which takes longer, only if the call @uses_stacked ones. */
void ftc_floating_begin(struct ftc_floating *f, bool uses_stacked);

/* Runs @work with @argument in the modes of the call. */
void ftc_floating_run(struct ftc_floating *f, void (*work)(void *argument), void *argument);

/* Runs @work in the modes with which a program begins, where nothing traps. A new thread inherits
 * the modes of the thread that creates it. */
void ftc_floating_run_plainly(void (*work)(void *argument), void *argument);

/* Raises in this thread the exceptions of the call that it has not seen yet. The caller must hold
 * no lock, because a handler of the program may not return. */
void ftc_floating_raise(struct ftc_floating *f);

#endif
