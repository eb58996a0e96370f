/* rounds_carrier: what carries the data of rounds to other ranks: bulk memory, or the messages of
 * the rounds' operations. */
#ifndef FTC_PROTOCOLS_ROUNDS_CARRIER_H
#define FTC_PROTOCOLS_ROUNDS_CARRIER_H

#include "rounds_parts.h"

extern const struct ftc_rounds_carrier ftc_rounds_in_memory, ftc_rounds_in_messages;

/* Returns the room for the value of a round in messages, of @ranks ranks. */
size_t ftc_rounds_room(int ranks);

#endif
