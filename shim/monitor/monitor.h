/* monitor: the monitor process of a rank, as the rank's program sees it (doc/design.md, section 6).
 *
 * When the library is loaded into an MPI rank it forks. The child goes on as the program. The
 * parent, which the launcher knows, becomes the monitor process. It forwards signals to the
 * program, enters the program's death in the board before anything else, and ends for the launcher
 *   - as the program did, wherever a death is not tolerated: before all ranks were ready, after
 *     MPI_Finalize, when no rank has survived, or when the launcher itself sent the fatal signal;
 *   - well, in place of a program whose death is tolerated (doc/design.md, section 7).
 * If the monitor process dies, the kernel kills the program. If the launcher dies, the monitor
 * process kills the program and, if it leads a session (Hydra), its whole process group. It opens
 * no file, socket or segment that has a name, so nothing has to be removed afterwards.
 *
 * The launcher's own child always gets a monitor process, whatever program it is, because it may
 * become the rank by exec (env, numactl, valgrind) or load MPI later (python3). Processes further
 * down, such as those that a script starts, get one only if their program is linked with MPI. A
 * program under a debugger gets none. Neither does a program that has other threads before it
 * starts, made without pthread_create() (wrappers/threads.c). */
#ifndef FTC_MONITOR_MONITOR_H
#define FTC_MONITOR_MONITOR_H

#include "board/board.h"
#include "channel.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns whether this process was started as an MPI rank by a launcher that speaks PMI through
 * PMI_FD: it is the launcher's own child, or a descendant that is linked with MPI. */
bool ftc_monitor_is_rank(void);

/* Gives this process, which is a rank, a monitor process if it has none yet. Returns in the
 * program, which is then a new process with the same signal mask and dispositions, and never in the
 * monitor process. Must be called before the program starts, while there is one thread. That may be
 * within a library's constructor or within dlopen(). The monitor process then holds the lock of
 * dlopen() for good, so its other threads never call the dynamic linker. */
void ftc_monitor_start(void);

/* Returns whether this very process (not one that forked it) has a monitor process. */
bool ftc_monitor_present(void);

/* Returns why ftc_monitor_present() is false, as text for a message; NULL if it is true. */
const char *ftc_monitor_absence(void);

/* Passes @board and this process's world rank to the monitor process, which keeps a mapping of its
 * own. With several hosts also passes @listener, to which other hosts connect; else @listener is
 * -1. From then on deaths are entered in the board. Waits at most five seconds for the
 * acknowledgement. Returns 0, or a negative errno after a message on standard error. Must be called
 * by a thread that lives as long as the process. */
int ftc_monitor_attach(const struct ftc_board *board, uint32_t world, int listener,
                       const struct ftc_monitor_options *options);

/* Reports to the launcher that this rank has ended MPI, in place of PMPI_Finalize (doc/design.md,
 * section 7). Also works without a monitor process. Does nothing if it was done before. Waits at
 * most five seconds. */
void ftc_monitor_finish_pmi(void);

/* Makes this rank end for the launcher as it really ends, without an entry of its death in the
 * board. The monitor process first announces the deaths so far and writes the report, for which
 * this waits at most five seconds. Must be called before PMPI_Abort, which is meant to end the
 * whole job. */
void ftc_monitor_stand_down(void);

#endif
