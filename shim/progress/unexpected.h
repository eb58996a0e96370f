/* unexpected: messages of operations that this rank has not reached yet.
 *
 * A rank can be ahead of another by as many operations as the rings allow. Its messages are copied
 * out of the ring to reach those after them, up to a limit for each sender. Beyond the limit they
 * stay in the ring, and a sender that finds its ring full waits. With several threads there is no
 * limit here, because a message that another thread needs may come after those of a thread that is
 * far ahead. The sender then limits its lead (run_ahead.h). */
#ifndef FTC_PROGRESS_UNEXPECTED_H
#define FTC_PROGRESS_UNEXPECTED_H

#include "transport/transport.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ftc_unexpected_message {
    struct ftc_unexpected_message *next; /* next message in order of arrival */
    uint64_t communicator_id;
    struct ftc_arrival arrival; /* points to @note and @wire */
    struct ftc_note note;
    _Alignas(16) unsigned char wire[];
};

/* Allocates memory for messages of up to @max_bytes from @senders ranks. Returns 0 or -ENOMEM. */
int ftc_unexpected_open(uint32_t senders, size_t max_bytes);

/* Keeps a copy of @a. Returns false if its sender has reached the limit or memory is short. */
bool ftc_unexpected_keep(const struct ftc_arrival *a);

/* Returns the list with the messages of a communicator, to traverse and to remove from. It may
 * contain messages of other communicators. */
struct ftc_unexpected_message **ftc_unexpected_first(uint64_t communicator_id);

/* Removes the message that *@link points to from its list, and keeps its memory for reuse. */
void ftc_unexpected_release(struct ftc_unexpected_message **link);

/* Removes all messages of a communicator that is freed. No operation will ask for them. */
void ftc_unexpected_drop(uint64_t communicator_id);

#endif
