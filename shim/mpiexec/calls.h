/* calls: the library in mpiexec (doc/design.md, section 11).
 *
 * LD_PRELOAD loads it there as well. In MPICH's mpiexec, Hydra, it interposes on a few calls of the
 * C library: those by which mpiexec communicates with its proxies, one a host, and those by which
 * it starts them. As long as no host is lost, mpiexec reads and writes what it would without the
 * library. After a loss it reads the message of a proxy whose processes have ended with
 * failure_exit_status. */
#ifndef FTC_MPIEXEC_CALLS_H
#define FTC_MPIEXEC_CALLS_H

/* Redirects these calls in Hydra's mpiexec. Does nothing in any other program. Must be called while
 * the library is being loaded. */
void ftc_mpiexec_start(void);

#endif
