/* classes: hosts shared out to the subtrees of the root, so that a lost host touches one of them
 * (doc/design.md, section 11, failure_domain = host).
 *
 * There are as many classes as subtrees, of about the same number of ranks, and all ranks of a host
 * are in one class. Subtree k holds class k without the root, whose place the last of its class
 * takes. So f lost hosts leave a subtree untouched. With no more hosts than f, the ranks of a host
 * are shared out to several classes of its own: all hosts but one may be lost then, or any f ranks.
 *
 * Members of classes that are of different size make up as many up-correction groups as the
 * smallest has ranks: each group has one carrier of each class, and of the larger ones satellites.
 * With three hosts of two ranks, f = 1, and rank 5 the root:
 *
 *      class 1:  0 1 (host 0), 4 (host 2)        0 1 2 3 4 5
 *      class 2:  2 3 (host 1)                    a a b b c c
 *
 *                 class 1   class 2
 *      group 0       0         2
 *      group 1       1         3
 *      group 0       4                 4 is a satellite
 *
 * Each member sends its original value to the carriers of the other classes of its group, which
 * take it into their subtrees; in its own it is a node. So each value is in each subtree once. The
 * root is in no group: it adds its value to that of whatever subtree it takes.
 *
 * If the root is alone in its class there is no other carrier in it: all send to the root, which is
 * all that is left to fail.
 */
#ifndef FTC_ENGINE_CLASSES_H
#define FTC_ENGINE_CLASSES_H

#include "hosts.h"

#include <stdbool.h>
#include <stddef.h>

struct ftc_classes {
    int count;          /* 0: there are none */
    int smallest;       /* ranks of the smallest class */
    int largest;        /* of the largest */
    int32_t *of;        /* by rank: 0..count-1 */
    int32_t *place;     /* by rank: its number among those of its class */
    int32_t *first;     /* by class, and one more: where it begins in member[] */
    int32_t *member;    /* ranks, class by class */
    int32_t *candidate; /* ranks, one of each host, then another of each that has one */
};

/* Bytes that ftc_classes_share_out() needs for n ranks. */
size_t ftc_classes_storage_bytes(int n);

/* Shares out n ranks on @hosts to @count classes, 1..n, in @storage, which stays. */
void ftc_classes_share_out(struct ftc_classes *c, int n, int count, const struct ftc_hosts *hosts,
                           void *storage);

static inline int ftc_classes_size(const struct ftc_classes *c, int class)
{
    return c->first[class + 1] - c->first[class];
}

/* Ranks of a class besides the root. */
static inline int ftc_classes_size_without(const struct ftc_classes *c, int class, int root)
{
    return ftc_classes_size(c, class) - (class == c->of[root]);
}

/* Up-correction groups; 0: @root is alone in its class. */
int ftc_classes_groups(const struct ftc_classes *c, int root);

/* The number of a rank among those of its class besides the root; and the rank with a number, -1 if
 * there is none. */
int ftc_classes_place(const struct ftc_classes *c, int root, int rank);
int ftc_classes_rank(const struct ftc_classes *c, int root, int class, int place);

/* Whether @rank, not the root, takes values of other classes into the subtree of its own. */
bool ftc_classes_is_carrier(const struct ftc_classes *c, int root, int rank);

/* The members of the group of @rank, not the root, in other classes: all of them, carriers first,
 * if it is a carrier; carriers alone if it is a satellite. */
struct ftc_group_walk {
    const struct ftc_classes *classes;
    int root, own_class, groups;
    int class, place; /* of who is next */
    int end;          /* beyond the last place */
};
void ftc_classes_walk(struct ftc_group_walk *w, const struct ftc_classes *c, int root, int rank);
int ftc_classes_next(struct ftc_group_walk *w); /* -1: that was all */

/* Most members of a group that one of them has to do with, itself included. */
int ftc_classes_max_group(const struct ftc_classes *c);

#endif
