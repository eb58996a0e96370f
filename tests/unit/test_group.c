/* The members of communicators; MPI's groups are tables here. */
#include "communicator/group.h"
#include "unit.h"
#include "value/datatype.h"

#include <string.h>

enum { GRID = 77, PART, FREED, COMMS = 3, RANKS = 6, GROUPS = 8 };

struct members {
    int size, world_rank[RANKS];
};

static const struct {
    MPI_Comm comm;
    struct members group;
    int size; /* of the grid less than in its group, as with MPICH 5.0.2 */
} of[COMMS] = {{MPI_COMM_WORLD, {6, {0, 1, 2, 3, 4, 5}}, 6},
               {GRID, {6, {5, 4, 3, 2, 1, 0}}, 4},
               {PART, {2, {3, 1}}, 2}};
static struct members groups[GROUPS];
static bool is_in_use[GROUPS];

static int place_of(MPI_Comm comm)
{
    int i = 0;

    while (i < COMMS && of[i].comm != comm)
        i++;
    ck_assert_int_lt(i, COMMS);
    return i;
}

static MPI_Group new_group(const struct members *members)
{
    int i = 0;

    while (i < GROUPS && is_in_use[i])
        i++;
    ck_assert_int_lt(i, GROUPS);
    is_in_use[i] = true;
    groups[i] = *members;
    return i;
}

static const struct members *members_of(MPI_Group group)
{
    ck_assert(group >= 0 && group < GROUPS && is_in_use[group]);
    return &groups[group];
}

/* ---- what MPI does ---- */

bool ftc_is_comm(MPI_Comm comm)
{
    return comm != MPI_COMM_NULL;
}

int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    if (comm == FREED)
        return MPI_ERR_COMM;
    *group = new_group(&of[place_of(comm)].group);
    return MPI_SUCCESS;
}

int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group)
{
    ck_abort_msg("%x is no intercommunicator", (unsigned)comm);
    *group = MPI_GROUP_NULL;
    return MPI_ERR_COMM;
}

int PMPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    place_of(comm);
    *flag = 0;
    return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm comm, int *size)
{
    *size = of[place_of(comm)].size;
    return MPI_SUCCESS;
}

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    place_of(comm);
    *rank = 0;
    return MPI_SUCCESS;
}

int PMPI_Group_rank(MPI_Group group, int *rank)
{
    (void)group;
    *rank = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int PMPI_Group_size(MPI_Group group, int *size)
{
    *size = members_of(group)->size;
    return MPI_SUCCESS;
}

int PMPI_Group_incl(MPI_Group group, int n, const int *rank, MPI_Group *some)
{
    const struct members *all = members_of(group);
    struct members chosen = {.size = n};

    for (int i = 0; i < n; i++)
        chosen.world_rank[i] = all->world_rank[rank[i]];
    *some = new_group(&chosen);
    return MPI_SUCCESS;
}

int PMPI_Group_range_incl(MPI_Group group, int n, int range[][3], MPI_Group *some)
{
    int rank[RANKS], count = 0;

    for (int i = 0; i < n; i++)
        for (int j = range[i][0]; j <= range[i][1]; j += range[i][2])
            rank[count++] = j;
    return PMPI_Group_incl(group, count, rank, some);
}

int PMPI_Group_union(MPI_Group one, MPI_Group other, MPI_Group *both)
{
    struct members all = *members_of(one);
    const struct members *more = members_of(other);

    memcpy(all.world_rank + all.size, more->world_rank, (size_t)more->size * sizeof(int));
    all.size += more->size;
    *both = new_group(&all);
    return MPI_SUCCESS;
}

int PMPI_Group_translate_ranks(MPI_Group group, int n, const int *rank, MPI_Group world,
                               int *world_rank)
{
    ck_assert_int_eq(members_of(world)->size, RANKS);
    for (int i = 0; i < n; i++)
        world_rank[i] = members_of(group)->world_rank[rank[i]];
    return MPI_SUCCESS;
}

int PMPI_Group_free(MPI_Group *group)
{
    members_of(*group);
    is_in_use[*group] = false;
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

/* ---- the tests ---- */

/* Frees @group. */
static void expect(MPI_Group group, int size, const int *world_rank)
{
    ck_assert_int_eq(members_of(group)->size, size);
    for (int i = 0; i < size; i++)
        ck_assert_int_eq(members_of(group)->world_rank[i], world_rank[i]);
    PMPI_Group_free(&group);
}

static void expect_all_freed(void)
{
    for (int i = 0; i < GROUPS; i++)
        ck_assert(!is_in_use[i]);
}

START_TEST(members_are_as_many_as_the_communicator_has)
{
    for (int i = 0; i < COMMS; i++)
        expect(ftc_group_of(of[i].comm), of[i].size, of[i].group.world_rank);
    expect(ftc_group_of_peers(GRID), 4, (const int[]){5, 4, 3, 2});
    ck_assert_int_eq(ftc_group_of(FREED), MPI_GROUP_NULL);
    expect_all_freed();
}
END_TEST

START_TEST(world_ranks_are_those_of_the_members)
{
    int size, *world_rank = ftc_group_world_ranks_of(GRID, &size);

    ck_assert_ptr_nonnull(world_rank);
    ck_assert_int_eq(size, 4);
    ck_assert_mem_eq(world_rank, of[place_of(GRID)].group.world_rank, 4 * sizeof *world_rank);
    free(world_rank);
    ck_assert_ptr_null(ftc_group_world_ranks_of(FREED, &size));
    expect_all_freed();
}
END_TEST

START_TEST(a_leader_knows_the_leader_of_the_others)
{
    expect(ftc_group_with_leader(GRID, 0, PART, 1), 5, (const int[]){5, 4, 3, 2, 1});
    expect(ftc_group_with_leader(GRID, 1, PART, 1), 4, (const int[]){5, 4, 3, 2});
    expect(ftc_group_with_leader(PART, 0, GRID, 4), 2, (const int[]){3, 1});
    expect_all_freed();
}
END_TEST

int main(void)
{
    UNIT_BEGIN("group");
    UNIT_TEST(members_are_as_many_as_the_communicator_has);
    UNIT_TEST(world_ranks_are_those_of_the_members);
    UNIT_TEST(a_leader_knows_the_leader_of_the_others);
    UNIT_END();
}
