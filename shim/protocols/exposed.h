/* exposed: data that a rank exposes on the board. All other ranks read them there, so they are not
 * copied into each message and each result. doc/design.md, section 12, says when a place on the
 * board may be reused. */
#ifndef FTC_PROTOCOLS_EXPOSED_H
#define FTC_PROTOCOLS_EXPOSED_H

#include "collective.h"
#include "segments.h"

/* Returns whether @bytes are enough to be worth exposing and fit a place on the board. */
bool ftc_exposed_fits(size_t bytes);

/* Returns a place on the board for @bytes that this rank exposes in the next operation of the
 * plan's communicator. Sets *@exposed to the number by which other ranks find the place, which is
 * not 0. Returns NULL if the data have to travel in messages. */
unsigned char *ftc_exposed_room(const struct ftc_plan *plan, size_t bytes, uint32_t *exposed);

/* Returns the @bytes that @rank exposed as @exposed in the operation that has just ended. Returns a
 * piece without data if @exposed or @bytes cannot be right. */
struct ftc_piece ftc_exposed_find(const struct ftc_plan *plan, int rank, size_t bytes,
                                  uint32_t exposed);

#endif
