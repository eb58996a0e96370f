/* start: from the loading of the library to the first operation. */
#ifndef FTC_LIFECYCLE_START_H
#define FTC_LIFECYCLE_START_H

/* Loads the settings and, if setting enable is on, starts the monitor process, at the first call in
 * a process. That call is made when the library is loaded, and before the process starts its first
 * thread, which other libraries may do earlier (wrappers/threads.c). A process that is no MPI rank,
 * or uses another MPI, gets neither. In mpiexec the library's part there is started
 * (mpiexec/calls.h). */
void ftc_load(void);

/* Interposes on MPICH's polls, if setting enable is on. To be called before native MPI is
 * initialised, by whichever call. */
void ftc_start_prepare(void);

/* Agrees on the settings, opens the board, and waits until all ranks are protected. To be called
 * after native MPI has been initialised. Where the library cannot work it stays idle and prints the
 * reason on standard error. */
void ftc_start(void);

#endif
