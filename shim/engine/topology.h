/* topology: groups and trees, in which processes exchange messages (paper, sections "Up-Correction"
 * and "Properties"; doc/design.md, section 2).
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
 * Node j >= 1 of a subtree is its member of group j - 1, node 0 is the root. The nodes form a tree
 * of any shape. One tree serves all subtrees and all roots, because each shape numbers its nodes so
 * that dropping the last ones leaves a tree.
 *
 * The paper's I(f)-tree has one child of the root in each subtree. Here a subtree may hang on the
 * root in several parts, each a tree. The shape determines how many (topology.c). So the root works
 * as much as other processes do. The paper's proofs still hold:
 * - The members of a subtree are the paper's; so are the groups and the number of messages.
 * - thm:reduce-replication: after up-correction a value is in one member of each subtree, hence in
 *   one part. All parts together hold it exactly once.
 * - thm:reduce: a dead member of a subtree is missed by its parent. If the parent is in the same
 *   part, the part's message reports the failure, if it comes. If the part's top is dead, the
 *   parent is the root, and the part's message does not come. A list names members of its own
 *   subtree only from its own part, because up-correction stays between subtrees. So a subtree
 *   lacks nothing when all its parts have arrived and none of them reports a failure in the
 *   subtree, in each of the three schemes.
 * - thm:reduce-number-failures, and correction of a broadcast: f failures leave one of the f + 1
 *   disjoint subtrees intact. So the root finds a usable one. A broadcast reaches all of that
 *   subtree, which has a member of each group that the root is not in.
 * - Ring correction over f neighbours: if the f vranks before a live process are dead, no other
 *   process is. The parent of the live process is alive, because it is the root or at least f + 1
 *   vranks before. */
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
    int max_group;    /* most members of a group that exchange values with one, itself included */
    int vranks;       /* number of vranks: n; with classes as if all had the largest size */
    int subtrees;
    int remainder; /* members of the last group besides the root; 0: the root is in no group */
    enum { FTC_EVERYBODY_NEVER, FTC_EVERYBODY_ALWAYS, FTC_EVERYBODY_BY_ROOT } everybody;
    struct ftc_hosts hosts;
    struct ftc_classes classes; /* failure_domain = host: the subtrees are made of these */
    int32_t *parent;            /* by node, 0..nodes; -1 at the root */
    int32_t *first_child;
    int32_t *next_sibling;
    int32_t *child_count;
};

/* Returns the bytes that ftc_topology_init() needs for n processes. */
size_t ftc_topology_storage_bytes(int n, int f);

/* Builds the topology in @storage, which must stay for its lifetime. Limits f to n - 1. All ranks
 * are on one host until t->hosts is set. */
void ftc_topology_init(struct ftc_topology *t, int n, int f, const struct ftc_tree_shape *shape,
                       void *storage);

/* Returns the bytes that ftc_topology_init_over_hosts() needs for n processes. */
size_t ftc_topology_storage_bytes_over_hosts(int n);

/* Builds a topology where hosts fail: the deaths of all ranks of a host are one failure. Limits f
 * to n - 1. @storage and hosts->of must stay for the topology's lifetime. */
void ftc_topology_init_over_hosts(struct ftc_topology *t, int n, int f,
                                  const struct ftc_tree_shape *shape, const struct ftc_hosts *hosts,
                                  void *storage);

static inline bool ftc_topology_has_classes(const struct ftc_topology *t)
{
    return __builtin_expect(t->classes.count > 0, false);
}

/* Returns the vrank of a rank, or the rank of a vrank: the swap is its own inverse. */
static inline int ftc_topology_swap(int rank_or_vrank, int root)
{
    if (rank_or_vrank == root)
        return 0;
    return rank_or_vrank == 0 ? root : rank_or_vrank;
}

/* Returns whether all ranks are one group, because n <= f + 1 or the root is alone in its class.
 * Up-correction alone then gives the result. */
static inline bool ftc_topology_group_is_everybody(const struct ftc_topology *t, int root)
{
    if (t->everybody != FTC_EVERYBODY_BY_ROOT)
        return t->everybody == FTC_EVERYBODY_ALWAYS;
    return ftc_classes_groups(&t->classes, root) == 0;
}

/* Returns the subtree 1..f+1 of a vrank >= 1. */
static inline int ftc_topology_subtree(const struct ftc_topology *t, int vrank)
{
    return (vrank - 1) % (t->f + 1) + 1;
}

/* Up-correction group of a vrank, without classes: vranks first..first+count-1, and the root if
 * with_root. count is 0 for a root that is in no group. */
struct ftc_up_correction_group {
    int first, count;
    bool with_root;
};
struct ftc_up_correction_group ftc_topology_group(const struct ftc_topology *t, int vrank);

/* Returns the vrank of @rank. With classes, node j of subtree k is the rank with place j - 1 in
 * class k - 1 (classes.h). */
static inline int ftc_topology_vrank(const struct ftc_topology *t, int root, int rank)
{
    const struct ftc_classes *c = &t->classes;

    if (!ftc_topology_has_classes(t) || rank == root)
        return ftc_topology_swap(rank, root);
    return ftc_classes_place(c, root, rank) * c->count + c->of[rank] + 1;
}

/* Returns the rank that has @vrank; -1 if there is none. That happens only with classes, if their
 * sizes without the root differ. */
static inline int ftc_topology_rank(const struct ftc_topology *t, int root, int vrank)
{
    const struct ftc_classes *c = &t->classes;

    if (!ftc_topology_has_classes(t) || vrank == 0)
        return ftc_topology_swap(vrank, root);
    return ftc_classes_rank(c, root, (vrank - 1) % c->count, (vrank - 1) / c->count);
}

/* Returns the root of the corrected attempt @number, counted from 0. Each rank is root of one
 * attempt. */
static inline int ftc_topology_candidate(const struct ftc_topology *t, int number)
{
    return ftc_topology_has_classes(t) ? t->classes.candidate[number] : number;
}

/* Returns the parent of @vrank in the tree; -1 for the root. */
int ftc_topology_parent(const struct ftc_topology *t, int vrank);

/* Returns the first child of @vrank; -1 if there is none. Children come in the order of sends in a
 * broadcast. The root's children serve its subtrees in turn, so that the i-th of them, i >= 0, is
 * in subtree i mod (f + 1) + 1. */
int ftc_topology_first_child(const struct ftc_topology *t, int vrank);

/* Returns the next child of the parent of @vrank, which is not the root; -1 if there is none. */
int ftc_topology_next_sibling(const struct ftc_topology *t, int vrank);

/* Returns the number of children of @vrank. */
int ftc_topology_child_count(const struct ftc_topology *t, int vrank);

#endif
