/* posted_way: how blocks that are posted come to others: through bulk memory, or in the messages of
 * the rounds' operations where ranks are on several hosts. */
#ifndef FTC_COLLECTIVES_POSTED_WAY_H
#define FTC_COLLECTIVES_POSTED_WAY_H

#include "posted_parts.h"

extern const struct ftc_posted_way ftc_posted_in_memory, ftc_posted_in_messages;

/* Returns the room for the value of a round in messages, of @ranks ranks. */
size_t ftc_posted_room(int ranks);

#endif
