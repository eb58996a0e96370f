/* leaders: exchange of group lists between the two groups of MPI_Intercomm_create(). Only their
 * leaders know how to reach the other group. Each leader passes on to its own group what it has
 * received. */
#ifndef FTC_NEW_COMMUNICATORS_LEADERS_H
#define FTC_NEW_COMMUNICATORS_LEADERS_H

#include "creation.h"

/* Returns whether the leaders in the arguments of @x are valid, as far as this rank can know. */
bool ftc_leaders_are_valid(const struct ftc_creation *x);

/* Result of the exchange in one group. */
struct ftc_meeting {
    MPI_Group remote;  /* remote group, with its dead ranks; the caller frees it */
    MPI_Group leaders; /* both leaders; the caller frees the group */
    uint64_t number;   /* number of the call, equal in both groups; 0: not known */
};

/* Exchanges group lists with the other group. Sets meeting->remote to MPI_GROUP_NULL if native MPI
 * has to carry out @x, because a member is not in MPI_COMM_WORLD or the groups overlap. Returns an
 * MPI error code, which is an error on all ranks of this group or on none. It is an error if a
 * leader is dead, because the groups cannot learn of each other then. */
int ftc_leaders_meet(const struct ftc_creation *x, const struct ftc_call *call,
                     struct ftc_meeting *meeting);

#endif
