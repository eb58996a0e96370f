/* classes: hosts assigned to the subtrees of the root, so that a lost host affects one subtree only
 * (doc/design.md, section 11, failure_domain = host).
 *
 * There are as many classes as subtrees, with about equal numbers of ranks. All ranks of a host are
 * in one class. Subtree k holds class k without the root; in the root's class the last rank takes
 * the root's place. So f lost hosts leave a subtree untouched. With at most f hosts, each host has
 * one or more classes of its own, to which its ranks are assigned. Then all hosts but one may be
 * lost, or any f ranks.
 *
 * There are as many up-correction groups as the smallest class has ranks besides the root. Each
 * group has one carrier of each class. Other ranks of larger classes are its satellites. With three
 * hosts of two ranks, f = 1, and rank 5 the root:
 *
 *      class 1:  0 1 (host 0), 4 (host 2)        0 1 2 3 4 5
 *      class 2:  2 3 (host 1)                    a a b b c c
 *
 *                 class 1   class 2
 *      group 0       0         2
 *      group 1       1         3
 *      group 0       4                 4 is a satellite
 *
 * Each member sends its original value to the carriers of the other classes in its group, which
 * take it into their subtrees. In the subtree of its own class the member is a node. So each value
 * is in each subtree once. The root is in no group: it adds its value to that of the subtree that
 * it uses.
 *
 * If the root is alone in its class, that class has no carrier. All ranks then send to the root,
 * the only rank of the class that can fail. */
#ifndef FTC_ENGINE_CLASSES_H
#define FTC_ENGINE_CLASSES_H

#include "hosts.h"

#include <stdbool.h>
#include <stddef.h>

struct ftc_classes {
    int count;          /* classes; 0: the topology has none */
    int smallest;       /* ranks of the smallest class */
    int largest;        /* ranks of the largest class */
    int32_t *of;        /* by rank: its class, 0..count-1 */
    int32_t *place;     /* by rank: its index in its class */
    int32_t *first;     /* by class, and one more: its first index in member[] */
    int32_t *member;    /* ranks, class by class */
    int32_t *candidate; /* ranks: one of each host, then a second of each host, ... */
};

/* Returns the bytes that ftc_classes_share_out() needs for n ranks. */
size_t ftc_classes_storage_bytes(int n);

/* Assigns n ranks on @hosts to @count classes, 1..n. @storage must stay as long as @c is used. */
void ftc_classes_share_out(struct ftc_classes *c, int n, int count, const struct ftc_hosts *hosts,
                           void *storage);

static inline int ftc_classes_size(const struct ftc_classes *c, int class)
{
    return c->first[class + 1] - c->first[class];
}

/* Returns the number of ranks in a class besides the root. */
static inline int ftc_classes_size_without(const struct ftc_classes *c, int class, int root)
{
    return ftc_classes_size(c, class) - (class == c->of[root]);
}

/* Returns the number of up-correction groups; 0 if @root is alone in its class. */
int ftc_classes_groups(const struct ftc_classes *c, int root);

/* Returns the place of @rank: its index among the ranks of its class besides the root. */
int ftc_classes_place(const struct ftc_classes *c, int root, int rank);

/* Returns the rank of @class that has @place; -1 if there is none. */
int ftc_classes_rank(const struct ftc_classes *c, int root, int class, int place);

/* Returns whether @rank, which is not the root, takes values of other classes into the subtree of
 * its own class. */
bool ftc_classes_is_carrier(const struct ftc_classes *c, int root, int rank);

/* Walk over the members of a rank's group in other classes. The rank is not the root. A carrier
 * gets all members, carriers first. A satellite gets the carriers alone. */
struct ftc_group_walk {
    const struct ftc_classes *classes;
    int root, own_class, groups;
    int class, place; /* of the next member */
    int end;          /* beyond the last place */
};
void ftc_classes_walk(struct ftc_group_walk *w, const struct ftc_classes *c, int root, int rank);
int ftc_classes_next(struct ftc_group_walk *w); /* the next member; -1: no more */

/* Returns the most members of a group with which one of them exchanges values, itself included. */
int ftc_classes_max_group(const struct ftc_classes *c);

#endif
