/* from_groups: communicators that are made from groups alone, as in programs with sessions (MPI
 * 4.0, sections 7.4.2 and 7.6.2). Applies with setting communicators = survivors, and to groups
 * whose members are in MPI_COMM_WORLD. A communicator of one group is made as by
 * MPI_Comm_create_group(). An intercommunicator is made from it as by MPI_Intercomm_create(), as in
 * MPICH. */
#ifndef FTC_NEW_COMMUNICATORS_FROM_GROUPS_H
#define FTC_NEW_COMMUNICATORS_FROM_GROUPS_H

#include "creation.h"

/* Returns a number that stands for @stringtag. The number is negative, unlike the tags of MPI. */
int ftc_from_groups_tag(const char *stringtag);

/* Returns the group of ranks for which a rank of @local waits: its own group and, on the leader,
 * the remote leader. The caller frees the group. Returns MPI_GROUP_NULL if an argument is invalid,
 * if a rank is not in MPI_COMM_WORLD, or without memory. */
MPI_Group ftc_from_groups_needed(MPI_Group local, const struct ftc_two_groups *groups);

/* Makes the communicator of COMM_CREATE_FROM_GROUP, as ftc_new_communicator_create() does for other
 * calls. */
bool ftc_from_group_create(struct ftc_creation *x);
/* As above, but makes the intercommunicator of INTERCOMM_CREATE_FROM_GROUPS. */
bool ftc_from_groups_create(struct ftc_creation *x);

#endif
