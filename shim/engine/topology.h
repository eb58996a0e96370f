/* topology: who talks to whom (paper, sections "Up-Correction" and "Properties"; doc/design.md,
 * section 2).
 *
 * Processes are numbered by vrank: the root and rank 0 swap numbers, so that the root is vrank 0.
 * With f = 1 and n = 8, the up-correction groups are the rows and the subtrees of the root the
 * columns:
 *
 *        subtree 1   subtree 2
 *            1           2        group 0
 *            3           4        group 1
 *            5           6        group 2
 *            7          (0)       group 3: only r = 1 member, so the root joins it
 *
 * Node j >= 1 of a subtree is its member of group j - 1, node 0 is the root. Above is any tree over
 * the nodes; the same tree serves all subtrees and all roots, because each shape numbers its nodes
 * so that dropping the last ones leaves a tree.
 *
 * The paper's I(f)-tree has one child of the root in each subtree. Here a subtree may hang on the
 * root in several parts, each a tree: how many is the shape's affair (topology.c). So the root
 * works as much as others do, instead of standing on top of whole trees. What the paper proves
 * still holds:
 * - The members of a subtree are the paper's; so are the groups and the number of messages.
 * - thm:reduce-replication: after up-correction a value is in one member of each subtree, hence in
 *   one part: all parts together hold it exactly once.
 * - thm:reduce: a dead member of a subtree is missed by its parent. That is in the same part, whose
 *   message reports the failure, if it comes; or it is the root, if the part's top is dead, whose
 *   message does not come. A list names members of its own subtree only where they are of its own
 *   part, as up-correction stays between subtrees. So a subtree lacks nothing when all of its parts
 *   have arrived and none of them reports a failure in the subtree, in each of the three schemes.
 * - thm:reduce-number-failures, and correction of a broadcast: f failures leave one of the f + 1
 *   disjoint subtrees intact. So the root finds a usable one; and a broadcast reaches all of it,
 *   which is a member of each group that the root is not in.
 * - Ring correction over f neighbours: if the f vranks before a live one are dead, they are all the
 *   dead there are, and its parent, the root or at least f + 1 vranks before it, is none of them.
 */
#ifndef FTC_ENGINE_TOPOLOGY_H
#define FTC_ENGINE_TOPOLOGY_H

#include "classes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ftc_tree_kind { FTC_TREE_BINOMIAL, FTC_TREE_KARY, FTC_TREE_LAME, FTC_TREE_OPTIMAL };

/* Costs of the LogP model in ticks: latency, overhead of a send or receive, gap between sends. */
struct ftc_logp {
    int L, o, g;
};

struct ftc_tree_shape {
    enum ftc_tree_kind kind;
    int k;                /* kary: children a node; lame: order */
    struct ftc_logp logp; /* optimal */
};

struct ftc_topology {
    int n;            /* processes */
    int f;            /* tolerated failures, at most n - 1 */
    int nodes;        /* of the largest subtree, without the root */
    int max_children; /* of any process */
    int max_group;    /* members that one of a group has to do with, itself included */
    int vranks;       /* vranks are below it: n, or with classes those of subtrees of one size */
    int subtrees;
    int remainder; /* members of the last group besides the root; 0: the root is in no group */
    enum { FTC_EVERYBODY_NEVER, FTC_EVERYBODY_ALWAYS, FTC_EVERYBODY_BY_ROOT } everybody;
    struct ftc_hosts hosts;
    struct ftc_classes classes; /* failure_domain = host: of these the subtrees are made */
    int32_t *parent;            /* over the nodes 0..nodes; -1 at the root */
    int32_t *first_child;
    int32_t *next_sibling;
    int32_t *child_count;
};

/* Bytes that ftc_topology_init() needs for n processes. */
size_t ftc_topology_storage_bytes(int n, int f);

/* Builds the topology in @storage, which must stay for its lifetime. f is cut to n - 1. All ranks
 * are on one host, until hosts is set. */
void ftc_topology_init(struct ftc_topology *t, int n, int f, const struct ftc_tree_shape *shape,
                       void *storage);

/* The same where hosts fail: whoever dies with its host is one failure. f is cut to n - 1. */
size_t ftc_topology_storage_bytes_over_hosts(int n);
void ftc_topology_init_over_hosts(struct ftc_topology *t, int n, int f,
                                  const struct ftc_tree_shape *shape, const struct ftc_hosts *hosts,
                                  void *storage);

static inline bool ftc_topology_has_classes(const struct ftc_topology *t)
{
    return __builtin_expect(t->classes.count > 0, false);
}

/* The swap is its own inverse: vrank of a rank, and rank of a vrank. */
static inline int ftc_topology_swap(int rank_or_vrank, int root)
{
    if (rank_or_vrank == root)
        return 0;
    return rank_or_vrank == 0 ? root : rank_or_vrank;
}

/* n <= f + 1, or the root is alone in its class: the group is everybody, and its exchange alone is
 * the result. */
static inline bool ftc_topology_group_is_everybody(const struct ftc_topology *t, int root)
{
    if (t->everybody != FTC_EVERYBODY_BY_ROOT)
        return t->everybody == FTC_EVERYBODY_ALWAYS;
    return ftc_classes_groups(&t->classes, root) == 0;
}

/* Subtree 1..f+1 of a vrank >= 1. */
static inline int ftc_topology_subtree(const struct ftc_topology *t, int vrank)
{
    return (vrank - 1) % (t->f + 1) + 1;
}

/* Without classes: the up-correction group of @vrank: vranks first..first+count-1, and the root if
 * with_root. count is 0 for a root that is in no group. */
struct ftc_up_correction_group {
    int first, count;
    bool with_root;
};
struct ftc_up_correction_group ftc_topology_group(const struct ftc_topology *t, int vrank);

/* Between ranks and vranks; -1: no rank has that vrank. That is so with classes only, where they
 * differ in size: node j of subtree k is number j - 1 of class k - 1 (classes.h). */
static inline int ftc_topology_vrank(const struct ftc_topology *t, int root, int rank)
{
    const struct ftc_classes *c = &t->classes;

    if (!ftc_topology_has_classes(t) || rank == root)
        return ftc_topology_swap(rank, root);
    return ftc_classes_place(c, root, rank) * c->count + c->of[rank] + 1;
}

static inline int ftc_topology_rank(const struct ftc_topology *t, int root, int vrank)
{
    const struct ftc_classes *c = &t->classes;

    if (!ftc_topology_has_classes(t) || vrank == 0)
        return ftc_topology_swap(vrank, root);
    return ftc_classes_rank(c, root, (vrank - 1) % c->count, (vrank - 1) / c->count);
}

/* Which rank is the root of the @number-th attempt; each is one once. */
static inline int ftc_topology_candidate(const struct ftc_topology *t, int number)
{
    return ftc_topology_has_classes(t) ? t->classes.candidate[number] : number;
}

/* Tree neighbours by vrank; -1: there is none. Children come in the order of sends in a broadcast:
 * the root's serve its subtrees in turn, so that the i-th of them, i >= 0, is in subtree i mod
 * (f + 1) + 1. */
int ftc_topology_parent(const struct ftc_topology *t, int vrank);
int ftc_topology_first_child(const struct ftc_topology *t, int vrank);
int ftc_topology_next_sibling(const struct ftc_topology *t, int vrank);
int ftc_topology_child_count(const struct ftc_topology *t, int vrank);

#endif
