/* run_ahead: limits by how many operations a rank runs ahead of the root of its reduces.
 *
 * A rank that only sends in a reduce waits for no other rank. With one thread, its lead is limited
 * by the rings and by the number of messages kept from each sender (unexpected.h). With several
 * threads the receiver keeps all messages. So the sender waits, as if the root's ring were full,
 * until the root has begun an operation that is not too far behind.
 *
 * The root ends a reduce only after all living ranks have begun it, and its own sends are limited
 * in the same way. So no member of the communicator falls behind without a limit. Each wait is for
 * a rank that is behind, so waits within a communicator cannot form a cycle. Across communicators
 * and threads, MPI allows any collective call to wait like this. */
#ifndef FTC_PROGRESS_RUN_AHEAD_H
#define FTC_PROGRESS_RUN_AHEAD_H

#include "communicator/communicator.h"

/* Returns whether the sends of the operation on @c must wait. Roots on other hosts do not show
 * their progress, so they never cause a wait. The caller holds the library's lock. */
bool ftc_run_ahead_must_wait(struct ftc_comm *c);

#endif
