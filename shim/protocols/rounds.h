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
#ifndef FTC_PROTOCOLS_ROUNDS_H
#define FTC_PROTOCOLS_ROUNDS_H

#include "protocol.h"
#include "rounds_parts.h"

extern const struct ftc_protocol_steps ftc_rounds_steps;

#endif
