/* members: the ranks of a communicator that take part, and their numbers in the engine
 * (communicator.h). */
#ifndef FTC_COMMUNICATOR_MEMBERS_H
#define FTC_COMMUNICATOR_MEMBERS_H

#include "communicator.h"

/* Allocates the arrays for the members of @c, whose size is set. Returns 0 or -ENOMEM. The caller
 * calls ftc_members_close() in either case. */
int ftc_members_open(struct ftc_comm *c);
void ftc_members_close(struct ftc_comm *c);

/* Lets all ranks of @c take part. */
void ftc_members_take_all(struct ftc_comm *c);

/* Lets all ranks of @c take part except those for which @missing, by rank, is not 0. */
void ftc_members_leave_out(struct ftc_comm *c, const unsigned char *missing);

#endif
