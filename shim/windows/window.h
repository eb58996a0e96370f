/* window: freeing a window some members of which are dead (setting intercept, word win_free).
 *
 * MPICH frees a window behind a barrier of all its members, so a dead one hangs it for ever. Here:
 *
 * 1. The survivors meet in an operation of the library's own, which counts them. So nobody needs
 *    the others' memory any more, as after the barrier, and all have the same count.
 * 2. Are they all members, native MPI frees the window. A rank that would wait there for somebody
 *    who has died since 1 abandons the call (new_communicators/abandonable.h).
 * 3. Else native MPI only begins: it deletes the window's attributes, and does not free a window
 *    when the last of them cannot be deleted. That is one of ours, and it cannot. (The last is the
 *    youngest in MPICH 4.0.2. Where it is another, the call is abandoned as in 2.)
 *
 * After 3, and for who leaves in 2, the handle is MPI_WIN_NULL and what MPICH has of the window
 * stays until the end of the process: its memory, if MPI has allocated it, and one of 2048 context
 * ids. Nobody else ever gets these, so it does not matter what the dead rank held, a lock for
 * example, or what is still under way. */
#ifndef FTC_WINDOWS_WINDOW_H
#define FTC_WINDOWS_WINDOW_H

#include "mpi/mpi_library.h"

#include <stdbool.h>

/* In MPI_Init, with that setting; 0 or a negative errno. */
int ftc_window_open(void);

/* Before native MPI makes *@win; see ftc_lineage_expect(). */
static inline void ftc_window_expect(MPI_Win *win)
{
    if (win)
        *win = MPI_WIN_NULL;
}

/* All ranks of @comm have made *@win of it, with the error code @rv, which it returns. */
int ftc_window_made(MPI_Comm comm, const MPI_Win *win, int rv);

/* MPI_Win_free(). False if native MPI is to do it: without the setting, with arguments that it
 * rejects, and of windows of one rank, or with ranks outside of MPI_COMM_WORLD. */
bool ftc_window_free(MPI_Win *win, const void *return_address, int *rv);

#endif
