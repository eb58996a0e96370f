#include "rows.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

void rows_append(struct rows *rows, const struct row *row)
{
    if (rows->count == rows->capacity) {
        rows->capacity = 2 * rows->capacity + 256;
        rows->row = memory_resize(rows->row, (size_t)rows->capacity * sizeof *row);
    }
    rows->row[rows->count++] = *row;
}

void rows_free(struct rows *rows)
{
    free(rows->row);
}

static bool same(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* But for the tree and for which ranks are dead. */
static bool is_alike(const struct row *a, const struct row *b)
{
    return a->cost.L == b->cost.L && a->cost.o == b->cost.o && a->cost.g == b->cost.g &&
           a->n == b->n && a->f == b->f && a->dead == b->dead && same(a->news, b->news) &&
           same(a->operation, b->operation) && same(a->algorithm, b->algorithm) &&
           same(a->correction, b->correction);
}

const struct row *rows_find(const struct rows *rows, const struct row *key)
{
    for (const struct row *r = rows->row; r < rows->row + rows->count; r++)
        if (is_alike(r, key) && same(r->tree, key->tree) && same(r->which, key->which))
            return r;
    return NULL;
}

const struct row *rows_best_tree(const struct rows *rows, const struct row *key)
{
    const struct row *best = NULL;

    for (const struct row *r = rows->row; r < rows->row + rows->count; r++)
        if (is_alike(r, key) && same(r->which, key->which) && (!best || r->latency < best->latency))
            best = r;
    return best;
}

const struct row *rows_worst_deaths(const struct rows *rows, const struct row *key)
{
    const struct row *worst = NULL;

    for (const struct row *r = rows->row; r < rows->row + rows->count; r++)
        if (is_alike(r, key) && same(r->tree, key->tree) && (!worst || r->latency > worst->latency))
            worst = r;
    return worst;
}

void rows_write_csv(const struct rows *rows, FILE *file)
{
    fprintf(file, "L,o,g,n,f,operation,algorithm,tree,correction,dead,which,news,latency,"
                  "messages_per_process\n");
    for (const struct row *r = rows->row; r < rows->row + rows->count; r++)
        fprintf(file, "%d,%d,%d,%d,%d,%s,%s,%s,%s,%d,%s,%s,%lld,%.3f\n", r->cost.L, r->cost.o,
                r->cost.g, r->n, r->f, r->operation, r->algorithm, r->tree, r->correction, r->dead,
                r->which, r->news, (long long)r->latency, r->per_process);
}
