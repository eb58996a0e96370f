/* inter_groups: the two groups of an intercommunicator that exists or is being made. */
#ifndef FTC_NEW_COMMUNICATORS_INTER_GROUPS_H
#define FTC_NEW_COMMUNICATORS_INTER_GROUPS_H

#include <mpi.h>
#include <stdbool.h>

struct ftc_inter_groups {
    MPI_Group group[2]; /* the group with the lowest rank first */
    MPI_Group leaders;  /* both leaders, while the intercommunicator is made */
    bool is_second;     /* this rank is in group[1] */
};

#define FTC_INTER_GROUPS_NONE                                                                      \
    (struct ftc_inter_groups)                                                                      \
    {                                                                                              \
        .group = {MPI_GROUP_NULL, MPI_GROUP_NULL}, .leaders = MPI_GROUP_NULL                       \
    }

/* Takes over this rank's group and the remote one, which ftc_inter_groups_free() frees. */
void ftc_inter_groups_set(struct ftc_inter_groups *groups, MPI_Group local, MPI_Group remote);

/* Reads the groups of @intercomm. */
void ftc_inter_groups_find(struct ftc_inter_groups *groups, MPI_Comm intercomm);

/* Frees the groups that are there. */
void ftc_inter_groups_free(struct ftc_inter_groups *groups);

#endif
