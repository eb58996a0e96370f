/* own_crash: a crash inside this library is no death that others survive. It may be a defect of
 * the library's own, or a buffer of the program's that cannot be read: natively either ends the
 * job. So the rank notes on the board where it crashed, its monitor process reports that, and ends
 * the job. */
#ifndef FTC_PROGRAM_OWN_CRASH_H
#define FTC_PROGRAM_OWN_CRASH_H

#include <stdint.h>

/* Handles the signals of a crash from then on, before the handlers that there are, which get each
 * of them afterwards. A handler that the program installs later stands in its place. In MPI_Init,
 * once the board is open. */
void ftc_own_crash_open(void);

/* Notes that this process ends at @address, if that is inside of the library. Safe in a signal
 * handler. */
void ftc_own_crash_note(uintptr_t address);

#endif
