/* from_groups: communicators that are made of groups alone, as programs with sessions make them
 * (MPI 4.0, sections 7.4.2 and 7.6.2). With setting communicators = survivors, and groups of
 * MPI_COMM_WORLD, one of a group is what MPI_Comm_create_group() makes, and one between two is what
 * MPI_Intercomm_create() makes of that (as in MPICH). */
#ifndef FTC_NEW_COMMUNICATORS_FROM_GROUPS_H
#define FTC_NEW_COMMUNICATORS_FROM_GROUPS_H

#include "creation.h"

/* A number that stands for a text, below all tags. */
int ftc_from_groups_tag(const char *stringtag);

/* Those whom a rank of @local waits for, if it is the leader also the other one. To be freed by the
 * caller; MPI_GROUP_NULL if an argument is invalid. */
MPI_Group ftc_from_groups_needed(MPI_Group local, const struct ftc_two_groups *groups);

/* Like ftc_new_communicator_create(), for COMM_CREATE_FROM_GROUP and for
 * INTERCOMM_CREATE_FROM_GROUPS. */
bool ftc_from_group_create(struct ftc_creation *x);
bool ftc_from_groups_create(struct ftc_creation *x);

#endif
