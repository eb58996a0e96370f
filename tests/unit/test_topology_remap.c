/* Neighbors in a distributed graph in which ranks have died. */
#include "new_communicators/topology_remap.h"
#include "unit.h"

enum { RANKS = 5, DEAD = 1, OWN = 0 };

static const unsigned char dead[RANKS] = {[DEAD] = 1};

static void expect(const int *got, const int *expected, int count)
{
    for (int i = 0; i < count; i++)
        ck_assert_int_eq(got[i], expected[i]);
}

/* Checks both lists of neighbors, each with its own length. Ranks after the dead one get new
 * numbers, and the dead neighbor stays as MPI_PROC_NULL. */
static void expect_neighbors(int indegree, int outdegree)
{
    static const int neighbor[] = {4, DEAD, 2, 3}, survivor[] = {3, MPI_PROC_NULL, 1, 2};
    struct ftc_arrangement a = {
        .indegree = indegree,
        .outdegree = outdegree,
        .sources = neighbor,
        .destinations = neighbor,
    };
    struct ftc_creation x = {.kind = FTC_CALL_DIST_GRAPH_CREATE_ADJACENT, .arrangement = &a};
    struct ftc_topology_remap remap;

    ck_assert(ftc_topology_remap_find(&x, RANKS, OWN, dead, &remap));
    ck_assert_int_eq(remap.arrangement.indegree, indegree);
    ck_assert_int_eq(remap.arrangement.outdegree, outdegree);
    expect(remap.arrangement.sources, survivor, indegree);
    expect(remap.arrangement.destinations, survivor, outdegree);
    ftc_topology_remap_free(&remap);
}

START_TEST(a_rank_may_have_more_destinations_than_sources)
{
    expect_neighbors(0, 4);
    expect_neighbors(1, 3);
}
END_TEST

START_TEST(a_rank_may_have_more_sources_than_destinations)
{
    expect_neighbors(4, 0);
    expect_neighbors(3, 1);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("topology_remap");
    UNIT_TEST(a_rank_may_have_more_destinations_than_sources);
    UNIT_TEST(a_rank_may_have_more_sources_than_destinations);
    UNIT_END();
}
