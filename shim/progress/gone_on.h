/* gone_on: ranks that have gone past the operation that this rank waits in, without a part in it.
 *
 * In a reduce a rank that is not the root sends what is awaited of it and goes on. One that names
 * another root, or calls something else, may send to others alone: nobody who gets that need be
 * waiting, and what the rank called then the board tells for a while only (FTC_BOARD_ENTRY_CALLS).
 * What stays is that it has begun a later operation of the communicator, which it does when all of
 * its messages are in the rings, and that this rank waits for one that is in none. */
#ifndef FTC_PROGRESS_GONE_ON_H
#define FTC_PROGRESS_GONE_ON_H

#include "communicator/communicator.h"

/* Whether a rank of this host has gone on so from the reduce that @c is in: then the calls do not
 * match (mismatch.h). Of some members, which are others in the next call (FTC_COMM_LOOKS). With the
 * library's lock held. */
bool ftc_gone_on_find(struct ftc_comm *c);

#endif
