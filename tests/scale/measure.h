/* measure: runs one configuration and appends what it took. */
#ifndef SCALE_MEASURE_H
#define SCALE_MEASURE_H

#include "rows.h"

/* The tree shapes, by the names that the setting `tree` has. */
enum { MEASURE_TREES = 5 };
extern const char *const measure_tree[MEASURE_TREES];

struct measure {
    struct rows rows;
    struct ftc_logp cost;
    int64_t news_delay; /* ticks from the beginning until the survivors hear of the dead */
};

/* Recursive doubling: the yardstick, and the optimistic allreduce. */
void measure_doubling(struct measure *m, int n);

/* The yardsticks by trees: binomial reduce and broadcast, optimal broadcast. */
void measure_plain_trees(struct measure *m, int n);

void measure_reduce(struct measure *m, int n, int f, const char *tree);
void measure_allreduce(struct measure *m, int n, int f, const char *tree, const char *correction);

/* Reduce and both allreduces by the optimal tree with @dead ranks dead from the beginning: the
 * first candidate roots, the children of the root, and some drawn by lot; known before, or late. */
void measure_deaths(struct measure *m, int n, int f, int dead);

#endif
