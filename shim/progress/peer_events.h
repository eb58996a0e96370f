/* peer_events: gives the operation on a communicator the events that no message brings: deaths of
 * members, and what members have published on the board. The caller of each function holds the
 * library's lock.
 *
 * Each of the ftc_peer_events_take functions returns whether there was an event. Events wait while
 * sends are pending. */
#ifndef FTC_PROGRESS_PEER_EVENTS_H
#define FTC_PROGRESS_PEER_EVENTS_H

#include "communicator/communicator.h"

/* Checks all members for deaths. To be called only when the board counts more deaths than
 * c->deaths_seen. */
bool ftc_peer_events_take_deaths(struct ftc_comm *c);

/* Takes the published results of members that have left the operation (doc/design.md, section 5,
 * rules 3 and 4). */
bool ftc_peer_events_take_published(struct ftc_comm *c);

/* Takes the published result of the leader, if an exchange without failures waits for it. */
bool ftc_peer_events_take_leader(struct ftc_comm *c);

/* Takes from the board which members have joined the attempt. A root without a usable subtree waits
 * until all living members have. */
bool ftc_peer_events_take_joined(struct ftc_comm *c);

/* Publishes the attempt that this rank is in. */
void ftc_peer_events_publish_attempt(struct ftc_comm *c);

#endif
