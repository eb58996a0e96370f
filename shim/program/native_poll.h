/* native_poll: the mark of calls that only test, such as MPI_Test. A single test has no mark. Once
 * a rank is dead, tests that find nothing share one mark. It stays until a test finds something. */
#ifndef FTC_PROGRAM_NATIVE_POLL_H
#define FTC_PROGRAM_NATIVE_POLL_H

#include "native_call.h"

/* Returns whether tests must report their result by the functions below. They need not while no
 * rank is dead, or if marking is off. */
static inline bool ftc_native_call_polls(void)
{
    return atomic_load_explicit(ftc_native_call_deaths, memory_order_relaxed) != 0;
}

/* Reports a test of @comm that found nothing. @peer is the rank that it needs, as in
 * ftc_native_call_enter(). */
void ftc_native_call_found_nothing(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                                   const void *return_address);

/* As above, for a test that needs the members of @win. */
void ftc_native_call_found_nothing_in_window(enum ftc_call_kind kind, MPI_Win win,
                                             const void *return_address);

/* Reports a test that found something, and ends the mark. */
void ftc_native_call_found(void);

#endif
