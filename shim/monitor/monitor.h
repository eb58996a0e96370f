/* monitor: the monitor process of a rank, as the rank's program sees it (doc/design.md, section 6).
 *
 * When the library is loaded into an MPI rank it forks. The child goes on as the program; the
 * parent, the one that the launcher knows, becomes the monitor process. It passes signals on to the
 * program, enters the program's death in the board before anything else, and ends for the launcher
 *   - as the program did, in every case in which a death is not tolerated: before all ranks were
 * ready, after MPI_Finalize, when nobody has survived, or when the launcher itself sent the fatal
 * signal;
 *   - well, in place of a program whose death is tolerated (doc/design.md, section 7).
 * If the monitor process dies, the kernel kills the program; if the launcher dies, the monitor
 * process takes the rank's process group with it. The monitor process opens no file, socket or
 * segment that has a name, so nothing has to be removed afterwards.
 *
 * The launcher's own child is always given a monitor, whatever program it is, because it may become
 * the rank by exec (env, numactl, valgrind) or load MPI later (python3). Processes further down,
 * such as those that a script starts, get one only if their program is linked with MPI. Programs
 * under a debugger get none, nor do those that have got threads before they start past
 * pthread_create() (wrappers/threads.c).
 */
#ifndef FTC_MONITOR_MONITOR_H
#define FTC_MONITOR_MONITOR_H

#include "board/board.h"
#include "channel.h"

#include <stdbool.h>
#include <stdint.h>

/* True if this process was started as an MPI rank by a launcher that speaks PMI-1 through PMI_FD:
 * the launcher's own child, or a descendant that is linked with MPI. */
bool ftc_monitor_is_rank(void);

/* Gives this process, which is a rank, a monitor process if it has none yet. Returns in the
 * program, in a new process with the same signal mask and dispositions, never in the monitor. To be
 * called before the program starts, while there is one thread. That may be inside of a library's
 * constructor, and of dlopen(), whose lock the monitor process then holds for good: its other
 * threads ask nothing of the dynamic linker. */
void ftc_monitor_start(void);

/* True if this very process (not one that forked it) has a monitor process. */
bool ftc_monitor_present(void);

/* Why ftc_monitor_present() is false, for a message; NULL if it is true. */
const char *ftc_monitor_absence(void);

/* Hands @board, and which of its ranks this one is, to the monitor process, which keeps a mapping
 * of its own; with several hosts also @listener, to which others come (else -1). From then on
 * deaths are entered in the board. Waits at most five seconds for the acknowledgement. Returns 0,
 * or a negative errno after a message on standard error. To be called by a thread that lives as
 * long as the process. */
int ftc_monitor_attach(const struct ftc_board *board, uint32_t world, int listener,
                       const struct ftc_monitor_options *options);

/* Tells the launcher that this rank has ended MPI, in place of PMPI_Finalize (doc/design.md,
 * section 7). Also works without a monitor process, and does nothing if it was done before. Waits
 * at most five seconds. */
void ftc_monitor_finish_pmi(void);

/* From now on this rank ends for the launcher as it really ends, and its death is not entered in
 * the board: to be called before PMPI_Abort, which is meant to end the whole job. */
void ftc_monitor_stand_down(void);

#endif
