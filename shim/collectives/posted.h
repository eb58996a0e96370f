/* posted: a value of blocks that is too large for messages (setting large; doc/design.md, section
 * 12).
 *
 * Each rank POSTS its block: it puts it into its bulk memory, where all others can read it. Then
 * the operation carries, instead of the blocks, who has: so who is in the result is agreed on as
 * for a small one, and a rank that dies before is simply not in it. Nobody does anything again.
 * Behind the operation each takes what it needs; whoever has posted keeps that memory as it is
 * until all have (board/bulk.h, ftc_bulk_leave()).
 *
 * What has no room there comes in ROUNDS, an operation each, until nobody has any left; nothing
 * changes in the program's memory before the last. A block is in the result if the round with its
 * end is. The halves of the memory take turns: whoever votes in a round has taken the one before.
 *
 * With ranks on several hosts there is no such memory. There the operation of a round carries what
 * each rank posts in it, and what is said of rounds holds as it is.
 */
#ifndef FTC_COLLECTIVES_POSTED_H
#define FTC_COLLECTIVES_POSTED_H

#include "posted_parts.h"

/* Begins with the call of @plan, which stays until the end. */
void ftc_posted_open(struct ftc_posted *p, struct ftc_plan *plan);

/* The operation of a round. That memory for the data is lacking is in the vote; without memory for
 * the operation itself there is no contribution. */
void ftc_posted_request(struct ftc_posted *p, struct ftc_loop_request *request);

/* After it. Returns an MPI error code; with plan->is_again it is not over. */
int ftc_posted_deliver(struct ftc_posted *p);

/* The last round is over, with a result or without; of that, what has been taken stays until
 * ftc_posted_free(). */
void ftc_posted_close(struct ftc_posted *p);
void ftc_posted_free(struct ftc_posted *p);

#endif
