/* messages: moves messages between the transport and the running operations. The caller of each
 * function holds the library's lock. */
#ifndef FTC_PROGRESS_MESSAGES_H
#define FTC_PROGRESS_MESSAGES_H

#include "communicator/communicator.h"
#include "engine/operation.h"

/* Makes the operation on @c, which has begun, the first candidate for incoming messages. */
void ftc_messages_expect(struct ftc_comm *c);

/* Ends the effect of ftc_messages_expect(), when the operation is over. */
void ftc_messages_forget(const struct ftc_comm *c);

/* Advances the operation on @c by @event. It must have no pending sends. */
void ftc_messages_step(struct ftc_comm *c, const struct ftc_event *event);

/* Carries out the sends of the operation on @c as far as there is room. While any are left, the
 * operation takes no further step, because the engine still owns the data that they point to.
 * Returns whether none are left. */
bool ftc_messages_send(struct ftc_comm *c);

/* Processes the messages that have arrived, for all running operations. Returns whether there were
 * any. */
bool ftc_messages_take(void);

/* As above, but only messages of world rank @world. */
bool ftc_messages_take_from(uint32_t world);

/* Processes messages that members have sent to all at once (transport/multicast.h) in the operation
 * on @c. Returns whether there were any. */
bool ftc_messages_take_multicasts(struct ftc_comm *c);

/* As above, but only a message of @member. */
bool ftc_messages_take_multicast_of(struct ftc_comm *c, int member);

/* Offers the kept messages to the operation on @c again. To be called when an operation starts,
 * when its attempt has changed, when it has checked for deaths, and when it has no more pending
 * sends. */
void ftc_messages_offer_kept(struct ftc_comm *c);

#endif
