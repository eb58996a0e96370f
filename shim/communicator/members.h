/* members: the ranks of a communicator that take part, and how the engine numbers them
 * (communicator.h). */
#ifndef FTC_COMMUNICATOR_MEMBERS_H
#define FTC_COMMUNICATOR_MEMBERS_H

#include "communicator.h"

/* Makes room for the members of @c, whose size is known; 0 or -ENOMEM. */
int ftc_members_open(struct ftc_comm *c);
void ftc_members_close(struct ftc_comm *c);

/* Lets all ranks take part. */
void ftc_members_take_all(struct ftc_comm *c);

/* Lets all ranks take part but those for which @missing, by rank, is not 0. */
void ftc_members_leave_out(struct ftc_comm *c, const unsigned char *missing);

#endif
