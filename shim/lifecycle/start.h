/* start: from the loading of the library to the first operation. */
#ifndef FTC_LIFECYCLE_START_H
#define FTC_LIFECYCLE_START_H

/* After native MPI has been initialised with thread level @provided: agrees on the settings, opens
 * the board, and waits until all ranks are protected. Where the library cannot work it stays idle
 * and says why on standard error. */
void ftc_start(int provided);

#endif
