/* start: from the loading of the library to the first operation. */
#ifndef FTC_LIFECYCLE_START_H
#define FTC_LIFECYCLE_START_H

/* Settings and monitor process; the first call of a process counts. It is made when the library is
 * loaded, and before the first thread there is: those of other libraries begin before that
 * (wrappers/threads.c). Whatever is no MPI rank, or one with another MPI, is left alone. */
void ftc_load(void);

/* Before native MPI is initialised, by whichever call. */
void ftc_start_prepare(void);

/* After native MPI has been initialised: agrees on the settings, opens the board, and waits until
 * all ranks are protected. Where the library cannot work it stays idle and says why on standard
 * error. */
void ftc_start(void);

#endif
