/* leaders: what the two groups of MPI_Intercomm_create() learn of each other. Only their leaders
 * know how to reach the other group; what they have heard they tell their own. */
#ifndef FTC_NEW_COMMUNICATORS_LEADERS_H
#define FTC_NEW_COMMUNICATORS_LEADERS_H

#include "creation.h"

/* Whether native MPI finds nothing wrong with the arguments of @x, as far as this rank can know. */
bool ftc_leaders_are_valid(const struct ftc_creation *x);

/* What a group has learnt. */
struct ftc_meeting {
    MPI_Group remote;  /* the other one, with whoever of it is dead; to be freed by the caller */
    MPI_Group leaders; /* both; likewise */
    uint64_t number;   /* of the call, the same in both; 0 if that of a communicator is not known */
};

/* Without a remote group it is not in MPI_COMM_WORLD, and native MPI is to carry @x out. Returns an
 * MPI error code, the same on all of this group: that a leader is dead, and nobody can know the
 * other group. */
int ftc_leaders_meet(const struct ftc_creation *x, const struct ftc_call *call,
                     struct ftc_meeting *meeting);

#endif
