/* own_crash: a crash inside this library ends the job. It may be a defect of the library, or a
 * buffer of the program that cannot be read. Natively either ends the job. So the rank notes on the
 * board where it crashed, and its monitor process reports that and ends the job. */
#ifndef FTC_PROGRAM_OWN_CRASH_H
#define FTC_PROGRAM_OWN_CRASH_H

#include <stdint.h>

/* Installs handlers for the signals of a crash. They call the handlers that were installed before.
 * A handler that the program installs later replaces them. To be called in MPI_Init, once the board
 * is open. */
void ftc_own_crash_open(void);

/* Notes on the board that this process ends at @address, if that is in the library. Safe in a
 * signal handler. */
void ftc_own_crash_note(uintptr_t address);

#endif
