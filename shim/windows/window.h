/* window: MPI_Win_free() on a window with dead members (setting intercept, word win_free).
 *
 * MPICH frees a window after a barrier of all its members, so a dead member makes it wait forever.
 * With the setting, the library frees a window in these steps:
 *
 * 1. The survivors take part in an operation of the library, which counts them. After it, as after
 *    the barrier, no rank needs the memory of another one, and all have the same count.
 * 2. If the survivors are all members, native MPI frees the window. A rank that would wait there
 *    for a member that has died since step 1 abandons the call (new_communicators/abandonable.h).
 * 3. Otherwise native MPI only begins to free the window. It first deletes the window's attributes,
 *    and does not free the window if it cannot delete the last one. The library sets an attribute
 *    that cannot be deleted. (In MPICH 4.0.2 the last one is the one that was set last. Where it is
 *    another one, the call is abandoned as in step 2.)
 *
 * After step 3, and in a rank that abandons the call in step 2, the handle is MPI_WIN_NULL. MPICH
 * keeps its data of the window until the end of the process: the window's memory, if MPI allocated
 * it, and one of 2048 context ids. They are never used for another window. Therefore locks that the
 * dead rank held, and messages that are still under way, do no harm. */
#ifndef FTC_WINDOWS_WINDOW_H
#define FTC_WINDOWS_WINDOW_H

#include "mpi/mpi_library.h"

#include <stdbool.h>

/* Creates the attribute keys that window.c needs. Returns 0 or a negative errno. To be called in
 * MPI_Init if the setting names win_free. */
int ftc_window_open(void);

/* Sets *@win to MPI_WIN_NULL. To be called before native MPI creates the window, for the reason
 * that ftc_lineage_expect() gives. */
static inline void ftc_window_expect(MPI_Win *win)
{
    if (win)
        *win = MPI_WIN_NULL;
}

/* Gives *@win a number, after all ranks of @comm have created it by a call with the error code @rv.
 * Returns @rv. Ends the job if there is no memory. */
int ftc_window_made(MPI_Comm comm, const MPI_Win *win, int rv);

/* Carries out MPI_Win_free() and sets *@rv to its error code. Returns false if native MPI is to
 * carry it out: without the setting or while MPI_Pcontrol() pauses the library, if native MPI
 * rejects the arguments, and for windows of one rank or with ranks outside of MPI_COMM_WORLD. */
bool ftc_window_free(MPI_Win *win, const void *return_address, int *rv);

#endif
