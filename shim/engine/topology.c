#include "topology.h"

#include <assert.h>

/* Returns the number of the up-correction group of a vrank >= 1. */
static int group_number(const struct ftc_topology *t, int vrank)
{
    assert(vrank >= 1); /* (0 - 1) / (f + 1) is 0 in C and would put the root in group 0 */
    return (vrank - 1) / (t->f + 1);
}

/* Returns the node of @vrank: 0 for the root, j for a member of group j - 1. */
static int node_of(const struct ftc_topology *t, int vrank)
{
    return vrank == 0 ? 0 : group_number(t, vrank) + 1;
}

static int vrank_of(const struct ftc_topology *t, int node, int subtree)
{
    return node == 0 ? 0 : (node - 1) * (t->f + 1) + subtree;
}

static int effective_f(int n, int f)
{
    return f < n - 1 ? f : n - 1;
}

static int largest_subtree(int n, int f)
{
    return (n - 1 + f) / (f + 1);
}

/* Makes a k-ary tree. Below the root, node j has the children k(j-1)+2 .. kj+1. The root has one
 * child in each subtree. With k in each it would have f + 1 times as many as any other process. */
static void shape_kary(struct ftc_topology *t, int k)
{
    if (t->nodes > 0)
        t->parent[1] = 0;
    for (int j = 2; j <= t->nodes; j++)
        t->parent[j] = (j - 2) / k + 1;
}

/* Makes the fastest tree under LogP, with latency = L + 2o and gap = max(o, g). Every node that has
 * the value at tick T passes it on at T, T + gap, T + 2 gap ..., and each copy is usable @latency
 * ticks after it left. Latency 1 and gap 1 give the binomial tree, latency k and gap 1 give
 * Lame(k).
 *
 * The root does so too, but serves all subtrees in turn, so it comes back to each every f + 1 gaps.
 * It has as many parts in each subtree as it has time for while the others pass the value on.
 *
 * Nodes are numbered in the order in which they get the value. Sends are ordered by departure, then
 * by sender. The next sender is thus found by going round the nodes that are ready, once a tick. */
static void shape_greedy(struct ftc_topology *t, int latency, int gap)
{
    int32_t *ready = t->next_sibling; /* scratch until the links are made */
    int known = 1, arrived = 1, root_gap = (t->f + 1) * gap;

    ready[0] = 0;
    for (int tick = 0; known <= t->nodes; tick++) {
        while (arrived < known && ready[arrived] <= tick)
            arrived++;
        for (int j = 0; j < arrived && known <= t->nodes; j++) {
            if ((tick - ready[j]) % (j == 0 ? root_gap : gap) != 0)
                continue;
            t->parent[known] = j;
            ready[known++] = tick + latency;
        }
    }
}

static void link_children(struct ftc_topology *t)
{
    for (int j = 0; j <= t->nodes; j++) {
        t->first_child[j] = t->next_sibling[j] = -1;
        t->child_count[j] = 0;
    }
    for (int j = t->nodes; j >= 1; j--) {
        t->next_sibling[j] = t->first_child[t->parent[j]];
        t->first_child[t->parent[j]] = j;
        t->child_count[t->parent[j]]++;
    }
    t->max_children = ftc_topology_child_count(t, 0);
    for (int j = 1; j <= t->nodes; j++)
        if (t->child_count[j] > t->max_children)
            t->max_children = t->child_count[j];
}

/* Returns the bytes of a tree over the root and the @nodes nodes of a subtree. */
static size_t tree_bytes(int nodes)
{
    return 4 * sizeof(int32_t) * ((size_t)nodes + 1);
}

size_t ftc_topology_storage_bytes(int n, int f)
{
    return tree_bytes(largest_subtree(n, effective_f(n, f)));
}

size_t ftc_topology_storage_bytes_over_hosts(int n)
{
    return ftc_classes_storage_bytes(n) + tree_bytes(n);
}

/* Makes the tree over the nodes. f, nodes and vranks must be set before. */
static void init_tree(struct ftc_topology *t, const struct ftc_tree_shape *shape, void *storage)
{
    int32_t *array = storage;

    t->parent = array;
    t->first_child = array + (t->nodes + 1);
    t->next_sibling = array + 2 * (t->nodes + 1);
    t->child_count = array + 3 * (t->nodes + 1);
    t->parent[0] = -1;
    switch (shape->kind) {
    case FTC_TREE_BINOMIAL:
        shape_greedy(t, 1, 1);
        break;
    case FTC_TREE_KARY:
        shape_kary(t, shape->k);
        break;
    case FTC_TREE_LAME:
        shape_greedy(t, shape->k, 1);
        break;
    case FTC_TREE_OPTIMAL:
        shape_greedy(t, shape->logp.L + 2 * shape->logp.o,
                     shape->logp.g > shape->logp.o ? shape->logp.g : shape->logp.o);
        break;
    }
    link_children(t);
}

void ftc_topology_init(struct ftc_topology *t, int n, int f, const struct ftc_tree_shape *shape,
                       void *storage)
{
    assert(n >= 1);
    assert(f >= 0);
    f = effective_f(n, f);
    *t = (struct ftc_topology){
        .n = n,
        .f = f,
        .nodes = largest_subtree(n, f),
        .max_group = f + 1,
        .vranks = n,
        .subtrees = n - 1 < f + 1 ? n - 1 : f + 1,
        .remainder = (n - 1) % (f + 1),
        .everybody = n <= f + 1 ? FTC_EVERYBODY_ALWAYS : FTC_EVERYBODY_NEVER,
        .hosts = {.count = 1},
    };
    init_tree(t, shape, storage);
}

/* Makes all subtrees as large as the largest class. The last nodes of the others are missing. */
void ftc_topology_init_over_hosts(struct ftc_topology *t, int n, int f,
                                  const struct ftc_tree_shape *shape, const struct ftc_hosts *hosts,
                                  void *storage)
{
    unsigned char *rest = (unsigned char *)storage + ftc_classes_storage_bytes(n);

    assert(n >= 1);
    assert(f >= 0);
    f = effective_f(n, f);
    *t = (struct ftc_topology){
        .n = n, .f = f, .subtrees = f + 1, .everybody = FTC_EVERYBODY_BY_ROOT, .hosts = *hosts};
    ftc_classes_share_out(&t->classes, n, f + 1, hosts, storage);
    t->nodes = t->classes.largest;
    t->vranks = t->nodes * (f + 1) + 1;
    t->max_group = ftc_classes_max_group(&t->classes);
    init_tree(t, shape, rest);
}

struct ftc_up_correction_group ftc_topology_group(const struct ftc_topology *t, int vrank)
{
    int remainder = (t->n - 1) % (t->f + 1);
    int last = (t->n - 1) / (t->f + 1); /* number of the incomplete group, if there is one */
    int group;

    if (vrank == 0 && remainder == 0)
        return (struct ftc_up_correction_group){0};
    group = vrank == 0 ? last : group_number(t, vrank);
    return (struct ftc_up_correction_group){
        .first = vrank_of(t, group + 1, 1),
        .count = group == last ? remainder : t->f + 1,
        .with_root = group == last,
    };
}

int ftc_topology_parent(const struct ftc_topology *t, int vrank)
{
    if (vrank == 0)
        return -1;
    return vrank_of(t, t->parent[node_of(t, vrank)], ftc_topology_subtree(t, vrank));
}

/* Returns the vrank of @node in @subtree; -1 if there is none. A subtree that lacks the last node
 * has one leaf less, and links to that leaf lead out of 0..vranks-1. */
static int existing(const struct ftc_topology *t, int node, int subtree)
{
    int vrank = node < 0 ? -1 : vrank_of(t, node, subtree);

    return vrank < t->vranks ? vrank : -1;
}

int ftc_topology_first_child(const struct ftc_topology *t, int vrank)
{
    int subtree = vrank == 0 ? 1 : ftc_topology_subtree(t, vrank);

    return existing(t, t->first_child[node_of(t, vrank)], subtree);
}

int ftc_topology_next_sibling(const struct ftc_topology *t, int vrank)
{
    int j = node_of(t, vrank), subtree = ftc_topology_subtree(t, vrank);

    if (t->parent[j] != 0)
        return existing(t, t->next_sibling[j], subtree);
    if (subtree <= t->f) /* children of the root: node j of one subtree after the other */
        return existing(t, j, subtree + 1);
    return existing(t, t->next_sibling[j], 1);
}

int ftc_topology_child_count(const struct ftc_topology *t, int vrank)
{
    int j = node_of(t, vrank), last = t->nodes; /* only the last node can be missing */
    bool has_last = last > 0 && t->parent[last] == j;
    int lacking = (t->f + 1) * t->nodes - (t->vranks - 1); /* subtrees without the last node */

    if (vrank == 0)
        return (t->f + 1) * t->child_count[0] - (has_last ? lacking : 0);
    if (has_last && existing(t, last, ftc_topology_subtree(t, vrank)) < 0)
        return t->child_count[j] - 1;
    return t->child_count[j];
}
