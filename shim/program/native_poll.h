/* native_poll: the mark of calls that only look, such as MPI_Test. A single look has no mark. Once
 * a rank is dead, looks that find nothing share one mark. It stays until a look finds something. */
#ifndef FTC_PROGRAM_NATIVE_POLL_H
#define FTC_PROGRAM_NATIVE_POLL_H

#include "native_call.h"

/* False while nobody is dead, or nobody would see the mark: nothing else needs to be done then. */
static inline bool ftc_native_call_polls(void)
{
    return atomic_load_explicit(ftc_native_call_deaths, memory_order_relaxed) != 0;
}

/* A look for what @peer of @comm, as above, has to do or to send; for what the members of @win have
 * to do. */
void ftc_native_call_found_nothing(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                                   const void *return_address);
void ftc_native_call_found_nothing_in_window(enum ftc_call_kind kind, MPI_Win win,
                                             const void *return_address);
void ftc_native_call_found(void);

#endif
