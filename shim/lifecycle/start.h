/* runtime: from the loading of the library to the end of MPI. */
#ifndef FTC_RUNTIME_H
#define FTC_RUNTIME_H

/* After native MPI has been initialised with thread level @provided: agrees on the settings, opens
 * the board, and waits until all ranks are protected. Where the library cannot work it stays idle
 * and says why on standard error. */
void ftc_runtime_start(int provided);

/* In place of PMPI_Finalize, whose error codes it returns. The attributes of MPI_COMM_SELF are
 * deleted, the survivors synchronise, and the process manager is told that this rank has ended
 * (DESIGN section 7). */
int ftc_runtime_finalize(void);

#endif
