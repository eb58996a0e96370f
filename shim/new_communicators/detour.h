/* detour: a call of native MPI that waits for others, and goes on beside whatever else the program
 * does: for nonblocking calls that MPI has no nonblocking function for.
 *
 * It runs on a stack of its own. Whenever MPICH polls in it (mpi/polls.h), control goes back to
 * who has resumed it; MPICH may be called again from there, for the place at which it polls is one
 * at which it holds nothing. With MPI_THREAD_MULTIPLE it is a thread (aside.h), which goes on by
 * itself, and none is to be awaited. Not with a device or version of MPICH for which this is not
 * known (mpi/inside.def, LEAVE). */
#ifndef FTC_NEW_COMMUNICATORS_DETOUR_H
#define FTC_NEW_COMMUNICATORS_DETOUR_H

#include <stdbool.h>

struct ftc_detour;

/* For a call of @function with @argument; NULL without memory. Nothing of it runs yet. It is to be
 * awaited before others make communicators if it holds what they need, and those that it waits for
 * are in it too, or have but to come to MPI. */
struct ftc_detour *ftc_detour_open(void (*function)(void *argument), void *argument,
                                   bool is_awaited);

/* Goes on until the next poll, or until the function has returned, which is what it returns. */
bool ftc_detour_resume(struct ftc_detour *d);

/* Also before its end: it never goes on, and its stack, into which messages may still come, stays
 * as it is; a thread may go on, with what the function was given. Returns whether it is at its end.
 */
bool ftc_detour_close(struct ftc_detour *d);

/* How many are to be awaited. */
int ftc_detour_awaited(void);

/* Until there is none: whoever is in a call of MPI goes on with those it has. Before a call that
 * makes a communicator: one of a single rank never polls, and may need the numbers that a detour
 * holds. */
void ftc_detour_await_all(void);

/* To be called when MPICH polls: false if that is not on a detour; else it returns true when the
 * detour is resumed. */
bool ftc_detour_pause(void);

#endif
