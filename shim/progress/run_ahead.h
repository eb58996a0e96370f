/* run_ahead: limits by how many operations a rank runs ahead of the root of its reduces.
 *
 * A rank that only sends in a reduce waits for no other rank. With one thread the rings and the
 * messages that are kept of each sender limit how far it gets (unexpected.h). With several threads
 * the receiver keeps all messages, so the sender has to wait, as if the root's ring were full,
 * until the root has begun an operation that is not too far behind.
 *
 * The root ends a reduce when all living ranks have begun it, and is limited likewise where it
 * sends: so no member of the communicator is behind without a limit. The waits cannot form a circle
 * within a communicator, because each is for a rank that is behind in it. Across communicators and
 * threads they are waits that MPI allows any collective call to have. */
#ifndef FTC_PROGRESS_RUN_AHEAD_H
#define FTC_PROGRESS_RUN_AHEAD_H

#include "communicator/communicator.h"

/* Returns whether the sends of the operation on @c have to wait. How far roots on other hosts are
 * is not known here. With the library's lock held. */
bool ftc_run_ahead_must_wait(struct ftc_comm *c);

#endif
