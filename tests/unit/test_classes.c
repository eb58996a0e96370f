/* Classes of hosts, and the groups and subtrees that are made of them (doc/design.md, section 11):
 * with all layouts of few ranks on few hosts, all roots, and all sets of lost hosts. */
#include "engine/topology.h"
#include "unit.h"

#include <string.h>

enum { MOST_RANKS = 7, PART_RANKS = 6, MOST_HOSTS = 4, MOST_F = 3 };

struct fixture {
    struct ftc_topology t;
    int32_t host[MOST_RANKS];
    int32_t storage[11 * (MOST_RANKS + 1)];
};

static void init(struct fixture *x, int n, int f)
{
    struct ftc_tree_shape shape = {.kind = FTC_TREE_BINOMIAL};
    struct ftc_hosts hosts = {.of = x->host};

    for (int rank = 0; rank < n; rank++)
        if (x->host[rank] >= hosts.count)
            hosts.count = x->host[rank] + 1;
    ck_assert_uint_le(ftc_topology_storage_bytes_over_hosts(n), sizeof x->storage);
    ftc_topology_init_over_hosts(&x->t, n, f, &shape, &hosts, x->storage);
}

static void init_with(struct fixture *x, int n, int f, const char *hosts)
{
    for (int rank = 0; rank < n; rank++)
        x->host[rank] = hosts[rank] - '0';
    init(x, n, f);
}

/* The next layout, hosts numbered in the order in which they appear. */
static bool next_layout(int32_t *host, int n)
{
    for (int rank = n - 1; rank > 0; rank--) {
        int highest = 0;

        for (int i = 0; i < rank; i++)
            highest = host[i] > highest ? host[i] : highest;
        if (host[rank] <= highest && host[rank] < MOST_HOSTS - 1) {
            host[rank]++;
            memset(host + rank + 1, 0, (size_t)(n - rank - 1) * sizeof *host);
            return true;
        }
    }
    return false;
}

static void for_all_layouts(void (*check)(const struct fixture *x))
{
    for (int n = 1; n <= unit_most(MOST_RANKS, PART_RANKS); n++)
        for (int f = 0; f <= MOST_F; f++) {
            struct fixture x = {0};

            do {
                init(&x, n, f);
                check(&x);
            } while (next_layout(x.host, n));
        }
}

static int class_of(const struct fixture *x, int rank)
{
    return x->t.classes.of[rank];
}

/* ---- sharing out ---- */

/* All ranks of a host are in one class; or, of fewer hosts than classes, all of a class on one. */
static void check_hosts_are_whole(const struct fixture *x)
{
    bool are_split = x->t.hosts.count < x->t.classes.count;

    for (int a = 0; a < x->t.n; a++)
        for (int b = 0; b < a; b++) {
            bool same_host = x->host[a] == x->host[b],
                 same_class = class_of(x, a) == class_of(x, b);

            ck_assert(are_split ? !same_class || same_host : !same_host || same_class);
        }
    for (int k = 0; k < x->t.classes.count; k++)
        ck_assert_int_ge(ftc_classes_size(&x->t.classes, k), 1);
}

START_TEST(a_host_is_in_one_class)
{
    for_all_layouts(check_hosts_are_whole);
}
END_TEST

START_TEST(classes_are_of_about_one_size)
{
    struct fixture x;

    init_with(&x, 7, 1, "0000123"); /* hosts {0} and {1, 2, 3} */
    ck_assert_int_eq(ftc_classes_size(&x.t.classes, 0), 4);
    ck_assert_int_eq(ftc_classes_size(&x.t.classes, 1), 3);
    init_with(&x, 6, 2, "000011"); /* {0}, {0} and {1} */
    for (int k = 0; k < 3; k++)
        ck_assert_int_eq(ftc_classes_size(&x.t.classes, k), 2);
}
END_TEST

/* ---- groups and subtrees, for each root ---- */

static void check_with_all_roots(const struct fixture *x,
                                 void (*check)(const struct fixture *x, int root))
{
    for (int root = 0; root < x->t.n; root++)
        check(x, root);
}

static void check_numbers(const struct fixture *x, int root)
{
    int seen = 0;

    for (int v = 0; v < x->t.vranks; v++) {
        int rank = ftc_topology_rank(&x->t, root, v);

        if (rank < 0)
            continue;
        ck_assert_int_eq(ftc_topology_vrank(&x->t, root, rank), v);
        if (v > 0)
            ck_assert_int_eq(ftc_topology_subtree(&x->t, v), class_of(x, rank) + 1);
        seen++;
    }
    ck_assert_int_eq(ftc_topology_rank(&x->t, root, 0), root);
    ck_assert_int_eq(seen, x->t.n);
}

static void check_all_numbers(const struct fixture *x)
{
    check_with_all_roots(x, check_numbers);
}

START_TEST(each_rank_has_a_number)
{
    for_all_layouts(check_all_numbers);
}
END_TEST

static void check_parents(const struct fixture *x, int root)
{
    for (int rank = 0; rank < x->t.n; rank++) {
        int v = ftc_topology_vrank(&x->t, root, rank), parent;

        if (rank == root)
            continue;
        parent = ftc_topology_rank(&x->t, root, ftc_topology_parent(&x->t, v));
        ck_assert_int_ge(parent, 0);
        ck_assert(parent == root || class_of(x, parent) == class_of(x, rank));
    }
}

static void check_all_parents(const struct fixture *x)
{
    check_with_all_roots(x, check_parents);
}

START_TEST(subtrees_are_trees_of_one_class)
{
    for_all_layouts(check_all_parents);
}
END_TEST

/* Bits of the members that @rank has to do with. */
static unsigned walk(const struct fixture *x, int root, int rank)
{
    struct ftc_group_walk w;
    unsigned met = 0;
    int peer;

    ftc_classes_walk(&w, &x->t.classes, root, rank);
    while ((peer = ftc_classes_next(&w)) >= 0)
        met |= 1u << peer;
    return met;
}

static void check_contributions(const struct fixture *x, int root)
{
    int times[MOST_RANKS][MOST_RANKS] = {{0}}; /* by class, and whose value it is */

    if (ftc_topology_group_is_everybody(&x->t, root))
        return;
    for (int rank = 0; rank < x->t.n; rank++) {
        unsigned met = rank == root ? 0 : walk(x, root, rank);

        times[class_of(x, rank)][rank]++;
        ck_assert_int_lt(__builtin_popcount(met), x->t.max_group);
        for (int peer = 0; peer < x->t.n; peer++)
            if (met >> peer & 1) {
                ck_assert(walk(x, root, peer) >> rank & 1);
                times[class_of(x, rank)][peer] += ftc_classes_is_carrier(&x->t.classes, root, rank);
            }
    }
    for (int k = 0; k < x->t.classes.count; k++)
        for (int rank = 0; rank < x->t.n; rank++)
            if (rank != root)
                ck_assert_int_eq(times[k][rank], 1);
}

static void check_all_contributions(const struct fixture *x)
{
    check_with_all_roots(x, check_contributions);
}

START_TEST(each_value_is_in_each_subtree_once)
{
    for_all_layouts(check_all_contributions);
}
END_TEST

static void check_everybody(const struct fixture *x, int root)
{
    int others = 0;

    for (int rank = 0; rank < x->t.n; rank++)
        others += rank != root && class_of(x, rank) == class_of(x, root);
    ck_assert_int_eq(ftc_topology_group_is_everybody(&x->t, root), others == 0);
    if (others == 0)
        ck_assert_int_ge(x->t.max_group, x->t.n);
}

static void check_all_everybody(const struct fixture *x)
{
    check_with_all_roots(x, check_everybody);
}

START_TEST(a_root_alone_in_its_class_hears_from_everybody)
{
    for_all_layouts(check_all_everybody);
}
END_TEST

/* ---- losses ---- */

static unsigned passes_to(const struct fixture *x, int root, int rank)
{
    int v = ftc_topology_vrank(&x->t, root, rank);
    unsigned to = 0;

    for (int c = ftc_topology_first_child(&x->t, v); c >= 0;
         c = ftc_topology_next_sibling(&x->t, c)) {
        int child = ftc_topology_rank(&x->t, root, c);

        to |= child < 0 ? 0 : 1u << child;
    }
    if (rank != root && ftc_classes_is_carrier(&x->t.classes, root, rank))
        to |= walk(x, root, rank);
    return to;
}

static void check_broadcast(const struct fixture *x, int root, unsigned dead)
{
    unsigned live = ((1u << x->t.n) - 1) & ~dead, reached = 1u << root, before = 0;

    while (reached != before) {
        before = reached;
        for (int rank = 0; rank < x->t.n; rank++)
            if (before >> rank & 1)
                reached |= passes_to(x, root, rank) & live;
    }
    ck_assert_uint_eq(reached, live);
}

/* Ranks of up to f hosts, and not of all hosts; or up to f ranks. */
static bool is_tolerated(const struct fixture *x, unsigned dead)
{
    unsigned hosts = 0;

    for (int rank = 0; rank < x->t.n; rank++)
        if (dead >> rank & 1)
            hosts |= 1u << x->host[rank];
    return __builtin_popcount(dead) <= x->t.f ||
           (__builtin_popcount(hosts) <= x->t.f && __builtin_popcount(hosts) < x->t.hosts.count);
}

static void check_broadcasts(const struct fixture *x, int root)
{
    if (ftc_topology_group_is_everybody(&x->t, root))
        return;
    for (unsigned dead = 0; dead < 1u << x->t.n; dead++)
        if (!(dead >> root & 1) && is_tolerated(x, dead))
            check_broadcast(x, root, dead);
}

static void check_all_broadcasts(const struct fixture *x)
{
    check_with_all_roots(x, check_broadcasts);
}

START_TEST(a_broadcast_reaches_everybody_but_lost_hosts)
{
    for_all_layouts(check_all_broadcasts);
}
END_TEST

/* However many hosts are lost, one of the first candidates, one more than they are, is alive. */
static void check_candidates(const struct fixture *x)
{
    unsigned seen = 0, hosts = 0;

    ck_assert_int_eq(ftc_topology_candidate(&x->t, 0), 0);
    for (int i = 0; i < x->t.n; i++) {
        seen |= 1u << ftc_topology_candidate(&x->t, i);
        hosts |= 1u << x->host[ftc_topology_candidate(&x->t, i)];
        ck_assert_int_eq(__builtin_popcount(hosts),
                         i < x->t.hosts.count ? i + 1 : x->t.hosts.count);
    }
    ck_assert_uint_eq(seen, (1u << x->t.n) - 1);
}

START_TEST(candidates_go_round_the_hosts)
{
    for_all_layouts(check_candidates);
}
END_TEST

START_TEST(the_drawn_example)
{
    struct fixture x;

    init_with(&x, 6, 1, "001122");
    ck_assert_int_eq(ftc_classes_groups(&x.t.classes, 5), 2);
    ck_assert_uint_eq(walk(&x, 5, 4), 1u << 2); /* a satellite, to the carrier */
    ck_assert_uint_eq(walk(&x, 5, 2), 1u << 0 | 1u << 4);
    ck_assert_uint_eq(walk(&x, 5, 1), 1u << 3);
    ck_assert(!ftc_classes_is_carrier(&x.t.classes, 5, 4));
}
END_TEST

int main(void)
{
    UNIT_BEGIN("classes");
    UNIT_TEST(a_host_is_in_one_class);
    UNIT_TEST(classes_are_of_about_one_size);
    UNIT_TEST(each_rank_has_a_number);
    UNIT_TEST(subtrees_are_trees_of_one_class);
    UNIT_TEST(each_value_is_in_each_subtree_once);
    UNIT_TEST(a_root_alone_in_its_class_hears_from_everybody);
    UNIT_TEST(a_broadcast_reaches_everybody_but_lost_hosts);
    UNIT_TEST(candidates_go_round_the_hosts);
    UNIT_TEST(the_drawn_example);
    UNIT_END();
}
