#include "from_groups.h"

#include "communicator/group.h"
#include "communicator/lineage.h"
#include "create.h"
#include "system/hash.h"
#include "value/datatype.h"

#include <stdlib.h>
#include <string.h>

/* Returns a negative number, because the calls of MPI_Comm_create_group() are counted by group and
 * tag as well, and have tags that are not negative. */
int ftc_from_groups_tag(const char *stringtag)
{
    uint64_t hash = stringtag ? ftc_hash(FTC_HASH_START, stringtag, strlen(stringtag)) : 0;

    return -1 - (int)(ftc_hash_mix(FTC_HASH_START, hash) >> 33);
}

/* Returns whether the text, the info and the error handler are valid. Native MPI reports invalid
 * ones before it waits for other ranks. */
static bool is_heard_by_native(const struct ftc_creation *x)
{
    return x->stringtag && ftc_is_error_handler(x->errhandler) && ftc_is_info(x->info);
}

static bool are_in_world(const int *world_rank, int size)
{
    for (int i = 0; i < size; i++)
        if (world_rank[i] < 0)
            return false;
    return size > 0;
}

/* Returns the ranks of @group as a group made from that of MPI_COMM_WORLD. MPICH 5 does not combine
 * the group of a session with other groups. The caller frees the group. Returns MPI_GROUP_NULL if a
 * rank is not in MPI_COMM_WORLD, or if @group is empty or invalid. */
static MPI_Group in_world(MPI_Group group)
{
    int size = 0, *world_rank = ftc_is_group(group) ? ftc_group_world_ranks(group, &size) : NULL;
    MPI_Group found = MPI_GROUP_NULL;

    if (world_rank && are_in_world(world_rank, size))
        found = ftc_group_of_world(world_rank, size);
    free(world_rank);
    return found;
}

static int world_rank_in(MPI_Group group, int rank)
{
    int size = 0, *world_rank = ftc_group_world_ranks(group, &size);
    int found = world_rank && rank < size ? world_rank[rank] : MPI_UNDEFINED;

    free(world_rank);
    return found;
}

/* ---- one group ---- */

static bool create_in_world(struct ftc_creation *x, bool (*create)(struct ftc_creation *x))
{
    MPI_Group given = x->group;
    bool is_done;

    if (!ftc_new_communicators_are_on() || !is_heard_by_native(x))
        return false;
    x->group = in_world(given);
    is_done = x->group != MPI_GROUP_NULL && create(x);
    if (x->group != MPI_GROUP_NULL)
        PMPI_Group_free(&x->group);
    x->group = given;
    return is_done;
}

bool ftc_from_group_create(struct ftc_creation *x)
{
    return create_in_world(x, ftc_new_communicator_create);
}

/* ---- two groups ---- */

static bool has_rank(MPI_Group group, int rank)
{
    int size = 0;

    if (!ftc_is_group(group))
        return false;
    PMPI_Group_size(group, &size);
    return rank >= 0 && rank < size;
}

static bool is_leader(MPI_Group local, const struct ftc_two_groups *g)
{
    int rank = MPI_UNDEFINED;

    PMPI_Group_rank(local, &rank);
    return rank == g->local_leader;
}

/* Returns whether the groups and leaders are valid as far as this rank knows, and the remote group
 * is not empty. If that is empty, native MPI returns MPI_COMM_NULL on all ranks at once. */
static bool are_groups(MPI_Group local, const struct ftc_two_groups *g)
{
    return g->remote != MPI_GROUP_EMPTY && has_rank(local, g->local_leader) &&
           (!is_leader(local, g) || has_rank(g->remote, g->remote_leader));
}

static bool is_among(const int *world_rank, int size, int rank)
{
    for (int i = 0; i < size; i++)
        if (world_rank[i] == rank)
            return true;
    return false;
}

MPI_Group ftc_from_groups_needed(MPI_Group local, const struct ftc_two_groups *g)
{
    int size = 0, *members = are_groups(local, g) ? ftc_group_world_ranks(local, &size) : NULL;
    int *needed = members ? malloc(((size_t)size + 1) * sizeof *needed) : NULL, leader;
    MPI_Group found = MPI_GROUP_NULL;

    if (needed) {
        memcpy(needed, members, (size_t)size * sizeof *needed);
        leader = is_leader(local, g) ? world_rank_in(g->remote, g->remote_leader) : members[0];
        if (!is_among(needed, size, leader))
            needed[size++] = leader;
        if (are_in_world(needed, size))
            found = ftc_group_of_world(needed, size);
    }
    free(needed);
    free(members);
    return found;
}

static int rank_in_comm(MPI_Comm comm, MPI_Group from, int rank)
{
    MPI_Group all = ftc_group_of(comm);
    int found = MPI_UNDEFINED;

    PMPI_Group_translate_ranks(from, 1, &rank, all, &found);
    PMPI_Group_free(&all);
    return found;
}

/* Makes the intercommunicator, from @local as the communicator of this group. If the leader is not
 * among the group's survivors, no rank can describe the other group to them, and the call returns
 * the error that a leader is dead. */
static bool bridge(struct ftc_creation *x, MPI_Comm local)
{
    const struct ftc_two_groups *g = x->groups;
    struct ftc_bridge b = {.local_leader = rank_in_comm(local, x->group, g->local_leader),
                           .peer = MPI_COMM_WORLD,
                           .remote_leader = MPI_UNDEFINED};
    bool is_done;

    if (is_leader(x->group, g))
        b.remote_leader = world_rank_in(g->remote, g->remote_leader);
    x->comm = local;
    x->bridge = &b;
    is_done = ftc_new_communicator_create(x);
    x->bridge = NULL;
    x->comm = MPI_COMM_WORLD;
    return is_done;
}

static bool create_intercomm(struct ftc_creation *x)
{
    MPI_Comm local = MPI_COMM_NULL;
    struct ftc_creation own = *x;
    bool is_done;

    own.newcomm = &local;
    if (!x->newcomm || !are_groups(x->group, x->groups) || !ftc_new_communicator_create(&own))
        return false;
    x->result = own.result;
    if (own.result != MPI_SUCCESS)
        return true;
    ftc_lineage_in_group(MPI_COMM_WORLD, x->group, x->tag, &local, MPI_SUCCESS);
    is_done = bridge(x, local);
    ftc_new_communicator_free(&local, PMPI_Comm_free, x->return_address);
    return is_done;
}

bool ftc_from_groups_create(struct ftc_creation *x)
{
    return create_in_world(x, create_intercomm);
}
