/* news: what the operation on a communicator has to know beside messages: who is dead, and what the
 * board shows of the others. All of it with the library's lock held.
 *
 * Each returns whether there was any. The news wait while sends are pending. */
#ifndef FTC_PROGRESS_NEWS_H
#define FTC_PROGRESS_NEWS_H

#include "communicator/communicator.h"

/* Looks at all members: to be asked only when the board counts more deaths than deaths_seen. */
bool ftc_news_of_deaths(struct ftc_comm *c);

/* Takes the published results of members that have left the operation (doc/design.md, section 5,
 * rules 3 and 4). */
bool ftc_news_of_published(struct ftc_comm *c);

/* Takes that of the one rank that an exchange without failures waits for in this way, if it does.
 */
bool ftc_news_of_leader(struct ftc_comm *c);

/* The other way round: a root without a usable subtree waits until all have joined its attempt. */
bool ftc_news_of_joined(struct ftc_comm *c);

/* Shows the others which attempt this rank is in. */
void ftc_news_announce_attempt(struct ftc_comm *c);

#endif
