/* Topology: groups, subtrees and tree shapes (paper, sections "Up-Correction" and "Properties"). */
#include "engine/topology.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

static const struct ftc_tree_shape shapes[] = {
    {.kind = FTC_TREE_BINOMIAL},
    {.kind = FTC_TREE_KARY, .k = 1},
    {.kind = FTC_TREE_KARY, .k = 2},
    {.kind = FTC_TREE_KARY, .k = 5},
    {.kind = FTC_TREE_LAME, .k = 2},
    {.kind = FTC_TREE_LAME, .k = 4},
    {.kind = FTC_TREE_OPTIMAL, .logp = {.L = 2, .o = 1, .g = 1}},
    {.kind = FTC_TREE_OPTIMAL, .logp = {.L = 7, .o = 2, .g = 3}},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

struct fixture {
    struct ftc_topology t;
    void *storage;
};

static struct fixture make(int n, int f, const struct ftc_tree_shape *shape)
{
    struct fixture x;

    x.storage = malloc(ftc_topology_storage_bytes(n, f));
    ck_assert_ptr_nonnull(x.storage);
    ftc_topology_init(&x.t, n, f, shape, x.storage);
    return x;
}

START_TEST(groups_of_the_papers_example)
{
    struct fixture x = make(7, 1, &shapes[0]); /* {1,2} {3,4} {5,6}, root alone */
    struct ftc_up_correction_group g = ftc_topology_group(&x.t, 4);

    ck_assert_int_eq(g.first, 3);
    ck_assert_int_eq(g.count, 2);
    ck_assert(!g.with_root);
    ck_assert_int_eq(ftc_topology_group(&x.t, 0).count, 0);
    free(x.storage);
}
END_TEST

START_TEST(root_joins_an_incomplete_last_group)
{
    struct fixture x = make(8, 1, &shapes[0]); /* {1,2} {3,4} {5,6} {7,0} */
    struct ftc_up_correction_group root = ftc_topology_group(&x.t, 0);
    struct ftc_up_correction_group last = ftc_topology_group(&x.t, 7);

    ck_assert_int_eq(root.first, 7);
    ck_assert_int_eq(root.count, 1);
    ck_assert(root.with_root);
    ck_assert_int_eq(last.first, 7);
    ck_assert(last.with_root);
    ck_assert(!ftc_topology_group(&x.t, 1).with_root); /* (0 - 1) / (f + 1) is 0 in C */
    free(x.storage);
}
END_TEST

START_TEST(subtree_is_the_position_in_the_group)
{
    struct fixture x = make(4, 1, &shapes[0]); /* subtrees {1,3} and {2} */

    ck_assert_int_eq(ftc_topology_subtree(&x.t, 1), 1);
    ck_assert_int_eq(ftc_topology_subtree(&x.t, 2), 2);
    ck_assert_int_eq(ftc_topology_subtree(&x.t, 3), 1);
    ck_assert_int_eq(ftc_topology_parent(&x.t, 3), 1);
    free(x.storage);
}
END_TEST

START_TEST(f_is_cut_to_all_but_one)
{
    struct fixture x = make(3, 9, &shapes[0]);

    ck_assert_int_eq(x.t.f, 2);
    ck_assert(ftc_topology_group_is_everybody(&x.t, 0));
    free(x.storage);
}
END_TEST

START_TEST(swap_is_its_own_inverse)
{
    for (int root = 0; root < 6; root++)
        for (int rank = 0; rank < 6; rank++)
            ck_assert_int_eq(ftc_topology_swap(ftc_topology_swap(rank, root), root), rank);
    ck_assert_int_eq(ftc_topology_swap(4, 4), 0);
    ck_assert_int_eq(ftc_topology_swap(0, 4), 4);
}
END_TEST

/* Children as seen from the parent and parents as seen from the child say the same. */
static void check_links(const struct ftc_topology *t)
{
    int seen = 0;

    for (int v = 0; v < t->n; v++) {
        int count = 0;

        for (int c = ftc_topology_first_child(t, v); c >= 0; c = ftc_topology_next_sibling(t, c)) {
            ck_assert_int_lt(c, t->n);
            ck_assert_int_eq(ftc_topology_parent(t, c), v);
            ck_assert_int_eq(ftc_topology_subtree(t, c),
                             v > 0 ? ftc_topology_subtree(t, v) : count % (t->f + 1) + 1);
            count++;
            seen++;
        }
        ck_assert_int_eq(ftc_topology_child_count(t, v), count);
        ck_assert_int_le(count, t->max_children);
    }
    ck_assert_int_eq(seen, t->n - 1);
}

/* The paper's I(f)-tree: f + 1 subtrees whose sizes differ by at most one, but each of them may
 * have several children of the root. */
static void check_is_iftree(const struct ftc_topology *t)
{
    int size[80] = {0}, least = t->n, most = 0;

    for (int v = 1; v < t->n; v++) {
        int top = v;

        while (ftc_topology_parent(t, top) != 0)
            top = ftc_topology_parent(t, top);
        ck_assert_int_eq(ftc_topology_subtree(t, top), ftc_topology_subtree(t, v));
        size[ftc_topology_subtree(t, v)]++;
    }
    for (int k = 1; k <= t->subtrees; k++) {
        least = size[k] < least ? size[k] : least;
        most = size[k] > most ? size[k] : most;
    }
    if (t->n > 1)
        ck_assert_int_le(most - least, 1);
}

/* Each group has one member in each subtree, the last one in subtrees 1..r. */
static void check_groups(const struct ftc_topology *t)
{
    int r = t->remainder;

    for (int v = 1; v < t->n; v++) {
        struct ftc_up_correction_group g = ftc_topology_group(t, v);

        ck_assert_int_le(g.first, v);
        ck_assert_int_gt(g.first + g.count, v);
        ck_assert_int_eq(g.count, g.with_root ? r : t->f + 1);
        for (int i = 0; i < g.count; i++)
            ck_assert_int_eq(ftc_topology_subtree(t, g.first + i), i + 1);
    }
    ck_assert_int_eq(ftc_topology_group(t, 0).count, r);
}

START_TEST(every_shape_gives_an_iftree)
{
    for (int n = 1; n <= 34; n++)
        for (int f = 0; f <= 4; f++)
            for (int i = 0; i < SHAPES; i++) {
                struct fixture x = make(n, f, &shapes[i]);

                check_links(&x.t);
                check_is_iftree(&x.t);
                check_groups(&x.t);
                free(x.storage);
            }
}
END_TEST

/* Bits of the live vranks to which @v passes a broadcast: children, then group or next f on the
 * ring.
 */
static unsigned passes_to(const struct ftc_topology *t, int v, bool ring)
{
    struct ftc_up_correction_group g = ftc_topology_group(t, v);
    unsigned to = 0;

    for (int c = ftc_topology_first_child(t, v); c >= 0; c = ftc_topology_next_sibling(t, c))
        to |= 1u << c;
    for (int d = 1; ring && d <= t->f; d++)
        to |= 1u << (v + d) % t->n;
    for (int i = 0; !ring && i < g.count; i++)
        to |= 1u << (g.first + i);
    if (!ring && g.with_root)
        to |= 1u;
    return to;
}

static void check_broadcast_reaches_all_but(const struct ftc_topology *t, unsigned dead, bool ring)
{
    unsigned live = ((1u << t->n) - 1) & ~dead, reached = 1, before = 0;

    while (reached != before) {
        before = reached;
        for (int v = 0; v < t->n; v++)
            if (before >> v & 1)
                reached |= passes_to(t, v, ring) & live;
    }
    ck_assert_msg(reached == live, "n=%d f=%d dead %x: %s correction reaches %x", t->n, t->f, dead,
                  ring ? "ring" : "group", reached);
}

/* Whichever f processes are dead, but for the root. */
START_TEST(a_corrected_broadcast_reaches_everybody)
{
    for (int n = 2; n <= 11; n++)
        for (int f = 0; f <= 3; f++)
            for (int i = 0; i < SHAPES; i++) {
                struct fixture x = make(n, f, &shapes[i]);

                for (unsigned dead = 0; dead < 1u << n; dead += 2)
                    for (int ring = 0; ring < 2 && __builtin_popcount(dead) <= x.t.f; ring++)
                        check_broadcast_reaches_all_but(&x.t, dead, ring);
                free(x.storage);
            }
}
END_TEST

START_TEST(binomial_tree_of_eight)
{
    static const int parents[] = {-1, 0, 0, 1, 0, 1, 2, 3};
    struct fixture x = make(8, 0, &shapes[0]); /* f = 0: the root is a node as any other */

    for (int j = 0; j < 8; j++)
        ck_assert_int_eq(x.t.parent[j], parents[j]);
    free(x.storage);
}
END_TEST

/* Lame(2): a node can send again after one tick, but its value takes two to arrive: Fibonacci's
 * numbers. */
START_TEST(lame_tree_grows_by_its_recurrence)
{
    static const int parents[] = {-1, 0, 0, 0, 1, 0, 1, 2};
    struct ftc_tree_shape lame = {.kind = FTC_TREE_LAME, .k = 2};
    struct fixture x = make(8, 0, &lame);

    for (int j = 0; j < 8; j++)
        ck_assert_int_eq(x.t.parent[j], parents[j]);
    free(x.storage);
}
END_TEST

/* The root serves node 1 of both subtrees, then node 2 of both, and so on: it comes back to each
 * subtree every other tick. n = 16: subtree 2 lacks node 8.
 *
 *      tick 0: 0->1   tick 1: 1->2   tick 2: 0->3, 1->4, 2->5   tick 3: 1->6, 2->7, 3->8
 */
START_TEST(a_subtree_hangs_on_the_root_in_several_parts)
{
    static const int parents[] = {-1, 0, 1, 0, 1, 2, 1, 2, 3}, children[] = {1, 2, 5, 6};
    struct fixture x = make(16, 1, &shapes[0]);
    int i = 0;

    for (int j = 0; j <= 8; j++)
        ck_assert_int_eq(x.t.parent[j], parents[j]);
    for (int v = ftc_topology_first_child(&x.t, 0); v >= 0; v = ftc_topology_next_sibling(&x.t, v))
        ck_assert_int_eq(v, children[i++]);
    ck_assert_int_eq(i, 4);
    ck_assert_int_eq(ftc_topology_child_count(&x.t, 5), 1); /* node 3 of subtree 1 */
    ck_assert_int_eq(ftc_topology_child_count(&x.t, 6), 0); /* node 3 of subtree 2 */
    free(x.storage);
}
END_TEST

/* The last node is a child of the root, and subtree 2 lacks it. */
START_TEST(the_last_part_may_be_missing_in_some_subtrees)
{
    struct fixture x = make(6, 1, &shapes[0]); /* {1,3},{5} and {2,4} */

    ck_assert_int_eq(ftc_topology_parent(&x.t, 5), 0);
    ck_assert_int_eq(ftc_topology_child_count(&x.t, 0), 3);
    ck_assert_int_eq(ftc_topology_next_sibling(&x.t, 2), 5);
    ck_assert_int_eq(ftc_topology_next_sibling(&x.t, 5), -1);
    free(x.storage);
}
END_TEST

/* kary:K counts children: the root has one in each subtree, everybody else at most K. */
START_TEST(kary_subtrees_have_one_part)
{
    static const int parents[] = {-1, 0, 1, 1, 2, 2, 3, 3, 4};
    struct fixture x = make(16, 1, &shapes[2]);

    for (int j = 0; j <= 8; j++)
        ck_assert_int_eq(x.t.parent[j], parents[j]);
    ck_assert_int_eq(ftc_topology_child_count(&x.t, 0), 2);
    free(x.storage);
}
END_TEST

START_TEST(optimal_tree_is_lame_with_the_same_costs)
{
    struct ftc_tree_shape optimal = {.kind = FTC_TREE_OPTIMAL, .logp = {.L = 2, .o = 1, .g = 1}};
    struct ftc_tree_shape lame = {.kind = FTC_TREE_LAME, .k = 4};
    struct fixture x = make(200, 1, &optimal), y = make(200, 1, &lame);

    ck_assert_mem_eq(x.t.parent, y.t.parent, (size_t)(x.t.nodes + 1) * sizeof x.t.parent[0]);
    free(x.storage);
    free(y.storage);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("topology");
    UNIT_TEST(groups_of_the_papers_example);
    UNIT_TEST(root_joins_an_incomplete_last_group);
    UNIT_TEST(subtree_is_the_position_in_the_group);
    UNIT_TEST(f_is_cut_to_all_but_one);
    UNIT_TEST(swap_is_its_own_inverse);
    UNIT_TEST(every_shape_gives_an_iftree);
    UNIT_TEST(a_corrected_broadcast_reaches_everybody);
    UNIT_TEST(binomial_tree_of_eight);
    UNIT_TEST(lame_tree_grows_by_its_recurrence);
    UNIT_TEST(a_subtree_hangs_on_the_root_in_several_parts);
    UNIT_TEST(the_last_part_may_be_missing_in_some_subtrees);
    UNIT_TEST(kary_subtrees_have_one_part);
    UNIT_TEST(optimal_tree_is_lame_with_the_same_costs);
    UNIT_END();
}
