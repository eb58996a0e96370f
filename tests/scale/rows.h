/* rows: what was measured, one row a configuration. */
#ifndef SCALE_ROWS_H
#define SCALE_ROWS_H

#include "engine/topology.h"

#include <stdio.h>

/* Names are string literals: they are the key, and what tables and pictures show. */
struct row {
    struct ftc_logp cost;
    int n, f;
    const char *operation;  /* reduce, allreduce, broadcast */
    const char *algorithm;  /* corrected, optimistic; the rest are yardsticks */
    const char *tree;       /* "": none */
    const char *correction; /* of a broadcast: group, ring; "": none */
    int dead;
    const char *which;  /* ranks are dead; "": none */
    const char *news;   /* of the deaths: before, late; "": none */
    int64_t latency;    /* ticks until the last live process has returned */
    double per_process; /* messages sent */
};

struct rows {
    struct row *row;
    int count, capacity;
};

void rows_append(struct rows *rows, const struct row *row);
void rows_free(struct rows *rows);

/* The row with all of @key's cost, n, f, names and number of dead ranks, or NULL. */
const struct row *rows_find(const struct rows *rows, const struct row *key);

/* The fastest row for @key whatever its tree, or NULL. */
const struct row *rows_best_tree(const struct rows *rows, const struct row *key);

/* The slowest row for @key whichever ranks are dead, or NULL. */
const struct row *rows_worst_deaths(const struct rows *rows, const struct row *key);

void rows_write_csv(const struct rows *rows, FILE *file);

#endif
