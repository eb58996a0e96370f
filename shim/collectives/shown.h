/* shown: data that a rank shows on the board, where all others read them, in place of a copy of
 * them in each message and each result (doc/design.md, section 12).
 *
 * A rank has some places for that. One that it has used in an operation of a communicator is free
 * again when it has ended a later one to which all that live have given something: by then they
 * have ended that operation, and have read. */
#ifndef FTC_COLLECTIVES_SHOWN_H
#define FTC_COLLECTIVES_SHOWN_H

#include "collective.h"
#include "segments.h"

/* Whether @bytes are enough to be shown, and a place has room for them. */
bool ftc_shown_fits(size_t bytes);

/* Room for @bytes that this rank shows in the next operation of the communicator of @plan, and in
 * @shown its name for the others, which is not 0. NULL: the data travel. */
unsigned char *ftc_shown_room(const struct ftc_plan *plan, size_t bytes, uint32_t *shown);

/* The @bytes that @rank shows there in the operation that has just ended. What nobody could have
 * shown has no data. */
struct ftc_piece ftc_shown_find(const struct ftc_plan *plan, int rank, size_t bytes,
                                uint32_t shown);

#endif
