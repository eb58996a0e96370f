/* unexpected: messages of operations that this rank has not reached yet.
 *
 * A rank can be ahead of another by as many operations as the rings let it be. Its messages are
 * copied out of the ring so that what lies behind them can be reached, up to a bound for each
 * sender; beyond that they stay in the ring, and a sender that finds its ring full waits. With
 * several threads there is no bound here: behind the messages of a thread that is far ahead there
 * can be one that another thread needs. There the sender sees to it (run_ahead.h). */
#ifndef FTC_PROGRESS_UNEXPECTED_H
#define FTC_PROGRESS_UNEXPECTED_H

#include "transport/transport.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ftc_unexpected_message {
    struct ftc_unexpected_message *next; /* in the order of arrival */
    uint64_t communicator_id;
    struct ftc_arrival arrival; /* of what follows */
    struct ftc_note note;
    _Alignas(16) unsigned char wire[];
};

/* Room for messages of @max_bytes from @senders; 0 or -ENOMEM. */
int ftc_unexpected_open(uint32_t senders, size_t max_bytes);

/* Keeps a copy; false when its sender has reached its bound, or memory is short. */
bool ftc_unexpected_keep(const struct ftc_arrival *a);

/* The list, to walk and to take from, in which those of a communicator are, and few others. */
struct ftc_unexpected_message **ftc_unexpected_first(uint64_t communicator_id);

/* Unlinks the message that *link points to and frees it. */
void ftc_unexpected_release(struct ftc_unexpected_message **link);

/* Frees all that are kept of a communicator, which is freed: nothing will ask for them. */
void ftc_unexpected_drop(uint64_t communicator_id);

#endif
