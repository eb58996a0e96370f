/* ahead: a bound for how far a rank is ahead of the root of its reduces.
 *
 * A rank that only sends in a reduce waits for nobody. With one thread the rings and what is kept
 * of each sender bound how far it gets (unexpected.h); with several the receiver keeps whatever
 * comes, so the sender has to wait itself, as if the root's ring were full: what it sends goes out
 * once the root has begun an operation that is not too far behind.
 *
 * The root ends a reduce when all who live have begun it, and is bounded so itself where it sends:
 * so no member of the communicator is behind without a bound. The waits cannot be a circle within a
 * communicator, as each is for a rank that is behind in it; and across communicators and threads
 * they are waits that MPI allows any collective call to have. */
#ifndef FTC_PROGRESS_AHEAD_H
#define FTC_PROGRESS_AHEAD_H

#include "communicator/communicator.h"

/* Whether what the operation on @c has to send is to wait. Roots on other hosts do not show here
 * how far they are. With the library's lock held. */
bool ftc_ahead_is_too_far(struct ftc_comm *c);

#endif
