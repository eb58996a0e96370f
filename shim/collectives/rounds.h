/* rounds: the protocol of blocks that are too large for messages (setting large; doc/design.md,
 * section 12).
 *
 * Each rank writes its block into its bulk memory, where all others can read it. Then an operation
 * carries the set of the ranks that have written, in place of the blocks. So the ranks agree on who
 * is in the result as they do for small blocks, and a rank that dies before is not in it. Nothing
 * is repeated. After the operation each rank reads what it needs. A rank keeps its memory unchanged
 * until all others have read (board/bulk.h, ftc_bulk_leave()).
 *
 * A block that has no room there takes several ROUNDS, an operation each, until no rank has any
 * data left. The program's memory changes after the last one. A block is in the result if the round
 * with its end is. The halves of the memory take turns: a rank that votes in a round has read the
 * data of the round before.
 *
 * Ranks on several hosts share no memory, and with large = native there is none. The operation of a
 * round then carries the data themselves.
 */
#ifndef FTC_COLLECTIVES_ROUNDS_H
#define FTC_COLLECTIVES_ROUNDS_H

#include "rounds_parts.h"

/* Begins with the call of @plan, which stays until the end. */
void ftc_rounds_open(struct ftc_rounds *p, struct ftc_plan *plan);

/* The operation of a round. That memory for the data is lacking is in the vote; without memory for
 * the operation itself there is no contribution. */
void ftc_rounds_request(struct ftc_rounds *p, struct ftc_loop_request *request);

/* After it. Returns an MPI error code; with plan->is_again it is not over. */
int ftc_rounds_deliver(struct ftc_rounds *p);

/* The last round is over, with a result or without; of that, what has been taken stays until
 * ftc_rounds_free(). */
void ftc_rounds_close(struct ftc_rounds *p);
void ftc_rounds_free(struct ftc_rounds *p);

#endif
