#include "inter_groups.h"

#include "communicator/group.h"

void ftc_inter_groups_set(struct ftc_inter_groups *groups, MPI_Group local, MPI_Group remote)
{
    groups->is_second = ftc_group_lowest(remote) < ftc_group_lowest(local);
    groups->group[groups->is_second] = local;
    groups->group[!groups->is_second] = remote;
}

void ftc_inter_groups_find(struct ftc_inter_groups *groups, MPI_Comm intercomm)
{
    MPI_Group remote;

    PMPI_Comm_remote_group(intercomm, &remote);
    ftc_inter_groups_set(groups, ftc_group_of(intercomm), remote);
}

static void free_group(MPI_Group *group)
{
    if (*group != MPI_GROUP_NULL)
        PMPI_Group_free(group);
}

void ftc_inter_groups_free(struct ftc_inter_groups *groups)
{
    free_group(&groups->group[0]);
    free_group(&groups->group[1]);
    free_group(&groups->leaders);
}
