/* multicast: one message for all other members of a communicator on this host. It is written once,
 * instead of into the ring of each member.
 *
 * The message is on the board, beside the sender's publication for the communicator. A member looks
 * there while its operation waits for the message. It finds no message of an operation that it is
 * not in yet, so no message has to be kept. The guarantees of a link hold (transport.h), except for
 * the order between these messages and those in rings.
 *
 * A sender has two places for the messages of a communicator and uses them in turn. A place is free
 * when this rank has ended a later operation to which all living members have contributed: they
 * have then ended the operation in which the place was used. Usually that is so, because a rank
 * that sends again has ended the operation of the other place. After an operation that ended
 * otherwise, such as with a mismatch of calls, no place is free, and messages use the rings. A
 * member that was declared dead meanwhile may read a message that is being overwritten. It stops
 * before it returns to the program (detector/silence.h). */
#ifndef FTC_TRANSPORT_MULTICAST_H
#define FTC_TRANSPORT_MULTICAST_H

#include "transport.h"

struct ftc_multicast_place;

/* Bytes of the largest value in a multicast message. */
enum { FTC_MULTICAST_VALUE_BYTES = 1024 };

/* Multicast messages of one communicator. */
struct ftc_multicast {
    uint32_t sent;                      /* messages that this rank has sent */
    uint32_t seq[FTC_BOARD_MULTICASTS]; /* operation in which this rank last used each place */
    /* First place of each rank; NULL: not known yet. */
    const struct ftc_multicast_place **first;
};

/* Prepares the messages among ranks 0 to @size - 1. Returns 0 or -ENOMEM. */
int ftc_multicast_open(struct ftc_multicast *m, int size);
void ftc_multicast_close(struct ftc_multicast *m);

/* Returns whether the next place is free, if all living members have ended the operations before
 * @ended. It then has room for a value of up to FTC_MULTICAST_VALUE_BYTES. */
static inline bool ftc_multicast_has_room(const struct ftc_multicast *m, uint32_t ended)
{
    return (int32_t)(ended - m->seq[m->sent % FTC_BOARD_MULTICASTS]) > 0;
}

/* Sends @message, which has no failed ranks, with @note of its call to all members that read entry
 * @entry of this rank. ftc_multicast_has_room() must have returned true. */
void ftc_multicast_send(struct ftc_multicast *m, const struct ftc_transport *t, uint32_t entry,
                        const struct ftc_message *message, const struct ftc_envelope *envelope,
                        enum ftc_failure_scheme scheme, size_t value_bytes,
                        const struct ftc_note *note);

/* Finds the message that @rank, which is world rank @from, has sent in the operation that @envelope
 * names. Returns false if there is none. The caller does not release the message. */
bool ftc_multicast_find(struct ftc_multicast *m, const struct ftc_transport *t, int rank,
                        uint32_t from, const struct ftc_envelope *envelope, struct ftc_arrival *a);

/* Returns the bytes of a place. */
uint32_t ftc_multicast_stride(void);

#endif
