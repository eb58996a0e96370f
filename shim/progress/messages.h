/* messages: between the transport and the operations that are running. All of it with the library's
 * lock held. */
#ifndef FTC_PROGRESS_MESSAGES_H
#define FTC_PROGRESS_MESSAGES_H

#include "communicator/communicator.h"
#include "engine/operation.h"

/* The next messages are most likely for the operation on @c, which has begun; until it is over. */
void ftc_messages_expect(struct ftc_comm *c);
void ftc_messages_forget(const struct ftc_comm *c);

/* Advances the operation on @c, which has no sends left. */
void ftc_messages_step(struct ftc_comm *c, const struct ftc_event *event);

/* Carries out its sends as far as there is room. While some are left the operation takes no further
 * step, because what they point to is the engine's until then. True if none are. */
bool ftc_messages_send(struct ftc_comm *c);

/* Takes in what has arrived, for all operations that are running, from all ranks or from world
 * rank @world. True if something has. */
bool ftc_messages_take(void);
bool ftc_messages_take_from(uint32_t world);

/* Takes in what members have told in the operation on @c (transport/multicast.h), or @member alone.
 * True if something has been. */
bool ftc_messages_take_told(struct ftc_comm *c);
bool ftc_messages_take_told_by(struct ftc_comm *c, int member);

/* Offers the kept messages again: when an operation starts, when its attempt has changed, and when
 * its sends are no longer in the way. */
void ftc_messages_offer_kept(struct ftc_comm *c);

#endif
