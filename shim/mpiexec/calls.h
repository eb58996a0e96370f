/* calls: where the library stands in mpiexec (doc/design.md, section 11).
 *
 * LD_PRELOAD loads it there as well. In mpiexec of MPICH, Hydra, it stands before a few of its
 * calls of the C library: those by which it speaks to its proxies, one a host, and by which it
 * starts them. As long as no host is lost, mpiexec reads and writes what it would without it. When
 * one is, it is given the message of a proxy whose processes have ended, with failure_exit_status.
 */
#ifndef FTC_MPIEXEC_CALLS_H
#define FTC_MPIEXEC_CALLS_H

/* To be called while the library is loaded. Does nothing in any other program. */
void ftc_mpiexec_start(void);

#endif
