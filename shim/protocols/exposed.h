/* exposed: data that a rank exposes on the board, where all others read them, in place of a copy of
 * them in each message and each result (doc/design.md, section 12, says when a place is free). */
#ifndef FTC_PROTOCOLS_EXPOSED_H
#define FTC_PROTOCOLS_EXPOSED_H

#include "collective.h"
#include "segments.h"

/* Whether @bytes are enough to be exposed, and a place has room for them. */
bool ftc_exposed_fits(size_t bytes);

/* Room for @bytes that this rank exposes in the next operation of the communicator of @plan, and in
 * @exposed its name for the others, which is not 0. NULL: the data travel. */
unsigned char *ftc_exposed_room(const struct ftc_plan *plan, size_t bytes, uint32_t *exposed);

/* Returns the @bytes that @rank exposed as @exposed in the operation that has just ended; without
 * data if no rank can have exposed them. */
struct ftc_piece ftc_exposed_find(const struct ftc_plan *plan, int rank, size_t bytes,
                                  uint32_t exposed);

#endif
