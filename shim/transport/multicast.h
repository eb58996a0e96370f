/* multicast: one message for all other members of a communicator on this host, written once, in
 * the place of a copy in the ring of each.
 *
 * It stands on the board, beside what its sender publishes of the communicator, and a member looks
 * there while its operation waits for that message: of an operation that it is not in yet it finds
 * nothing, and nothing has to be kept. What a link promises (transport.h) holds, but for the order
 * of such messages and those in rings.
 *
 * A sender has two places for the messages of a communicator, which take turns. One may be used
 * again when this rank has ended a later operation to which all members that live have given
 * something: by then they have ended the one that it was used in. Mostly that is so, as who sends
 * again has ended the operation of the other place; after one that has ended otherwise, such as
 * with a mismatch of calls, there is no room, and messages go by the rings. A member that was taken
 * for dead in the meantime may read what is being written; it stops before it returns to the
 * program (detector/silence.h). */
#ifndef FTC_TRANSPORT_MULTICAST_H
#define FTC_TRANSPORT_MULTICAST_H

#include "transport.h"

struct ftc_multicast_place;

/* Values of up to so many bytes. */
enum { FTC_MULTICAST_VALUE_BYTES = 1024 };

/* The multicasts of one communicator. */
struct ftc_multicast {
    uint32_t sent;                      /* by this rank */
    uint32_t seq[FTC_BOARD_MULTICASTS]; /* operation that it has used a place in */
    /* Where each rank has the first of them; NULL: not known. */
    const struct ftc_multicast_place **first;
};

/* With ranks 0 to @size - 1; 0 or -ENOMEM. */
int ftc_multicast_open(struct ftc_multicast *m, int size);
void ftc_multicast_close(struct ftc_multicast *m);

/* Whether there is, when all that live have ended the operations before @ended: for values of up to
 * FTC_MULTICAST_VALUE_BYTES. */
static inline bool ftc_multicast_has_room(const struct ftc_multicast *m, uint32_t ended)
{
    return (int32_t)(ended - m->seq[m->sent % FTC_BOARD_MULTICASTS]) > 0;
}

/* Sends @message, which has no failed ranks, and @note of the call that it belongs to, to all that
 * look for what this rank sends in entry @entry of its own. There is room for it. */
void ftc_multicast_send(struct ftc_multicast *m, const struct ftc_transport *t, uint32_t entry,
                        const struct ftc_message *message, const struct ftc_envelope *envelope,
                        enum ftc_failure_scheme scheme, size_t value_bytes,
                        const struct ftc_note *note);

/* Finds what @rank, world rank @from, has sent in the operation of the communicator that @envelope
 * names. It is not released. */
bool ftc_multicast_find(struct ftc_multicast *m, const struct ftc_transport *t, int rank,
                        uint32_t from, const struct ftc_envelope *envelope, struct ftc_arrival *a);

/* Bytes of a place. */
uint32_t ftc_multicast_stride(void);

#endif
