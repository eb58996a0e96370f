/* aside: a call of native MPI that waits for others, on a thread of its own: what a detour
 * (detour.h) is with MPI_THREAD_MULTIPLE.
 *
 * MPICH gives its lock up between two looks at its network, so other threads go on. When it is
 * given up its thread goes to sleep for good in that gap (gap.h), where it holds nothing: else it
 * would keep a core, and MPICH's lock every other moment, until the end of the process. Without a
 * gap the thread goes on to poll; and one that is given up where MPICH does not poll goes on there.
 */
#ifndef FTC_NEW_COMMUNICATORS_ASIDE_H
#define FTC_NEW_COMMUNICATORS_ASIDE_H

#include <stdbool.h>

struct ftc_aside;

/* Begins a call of @function with @argument; NULL without memory. To be closed. */
struct ftc_aside *ftc_aside_begin(void (*function)(void *argument), void *argument);

bool ftc_aside_is_over(const struct ftc_aside *a);

/* Gives it up if it is not over, and returns whether it is: else @argument, and all that it names,
 * is the thread's from now on. */
bool ftc_aside_close(struct ftc_aside *a);

/* Whether this is the thread of one; and whether somebody has died since it has begun. */
bool ftc_aside_is_here(void);
bool ftc_aside_has_seen_death(void);

/* To be called when MPICH polls, once any was given up. */
void ftc_aside_poll(void);
extern _Atomic bool ftc_aside_is_any_left;

#endif
