/* Reduce up a tree, broadcast down a tree. */
#include "memory.h"
#include "yardstick.h"

#include <stdlib.h>

/* As in struct ftc_topology, but over all ranks. */
struct tree {
    const int32_t *parent, *first_child, *next_sibling;
};

struct trip {
    struct machine machine;
    struct tree tree;
    int ways;
    int *missing; /* children that have not sent */
};

static void send(struct trip *t, int from, int to)
{
    machine_send(&t->machine, from, to, 0);
}

static void go_down(struct trip *t, int rank)
{
    for (int c = t->tree.first_child[rank]; c >= 0; c = t->tree.next_sibling[c])
        send(t, rank, c);
    machine_finish(&t->machine, rank);
}

static void go_up(struct trip *t, int rank)
{
    if (t->missing[rank] > 0)
        return;
    if (rank > 0)
        send(t, rank, t->tree.parent[rank]);
    if (rank == 0 && t->ways & YARDSTICK_DOWN)
        go_down(t, rank);
    else if (!(t->ways & YARDSTICK_DOWN))
        machine_finish(&t->machine, rank);
}

static void start(void *self, int rank)
{
    struct trip *t = self;

    if (t->ways & YARDSTICK_UP)
        go_up(t, rank);
    else if (rank == 0)
        go_down(t, rank);
}

static void take(void *self, struct message *message)
{
    struct trip *t = self;
    int rank = message->to;
    bool from_child = t->tree.parent[message->from] == rank;

    free(message);
    if (!from_child) {
        go_down(t, rank);
        return;
    }
    t->missing[rank]--;
    go_up(t, rank);
}

static int64_t run(int n, struct ftc_logp cost, const struct tree *tree, int ways)
{
    static const struct protocol protocol = {.start = start, .take = take};
    struct trip t = {.tree = *tree, .ways = ways};
    int64_t latency;

    t.missing = memory_zeroed((size_t)n, sizeof *t.missing);
    for (int rank = 1; rank < n; rank++)
        t.missing[tree->parent[rank]]++;
    machine_init(&t.machine, n, cost, &protocol, &t);
    latency = machine_run(&t.machine);
    machine_free(&t.machine);
    free(t.missing);
    return latency;
}

/* The parent of a rank lacks its lowest bit. The largest subtree is first: its sibling's rank is
 * half as far away. */
static int binomial_first_child(int n, int rank)
{
    int lowest = 1, bit;

    while (lowest < n && !(rank & lowest))
        lowest *= 2;
    for (bit = lowest / 2; bit > 0 && rank + bit >= n; bit /= 2)
        ;
    return bit > 0 ? rank + bit : -1;
}

int64_t yardstick_binomial(int n, struct ftc_logp cost, int ways)
{
    int32_t *link = memory_zeroed(3 * (size_t)n, sizeof *link);
    int32_t *parent = link, *first_child = link + n, *next_sibling = link + 2 * n;
    int64_t latency;

    for (int rank = 0; rank < n; rank++) {
        int bit = rank & -rank;

        parent[rank] = rank - bit;
        first_child[rank] = binomial_first_child(n, rank);
        next_sibling[rank] = bit > 1 ? rank - bit + bit / 2 : -1;
    }
    latency = run(n, cost, &(struct tree){parent, first_child, next_sibling}, ways);
    free(link);
    return latency;
}

/* With f = 0 the root has one child, at the root of a tree of all others. */
int64_t yardstick_broadcast(int n, struct ftc_logp cost, const struct ftc_tree_shape *shape)
{
    void *storage = memory_zeroed(1, ftc_topology_storage_bytes(n + 1, 0));
    struct ftc_topology t;
    int64_t latency;

    ftc_topology_init(&t, n + 1, 0, shape, storage);
    latency = run(n, cost, &(struct tree){t.parent, t.first_child, t.next_sibling}, YARDSTICK_DOWN);
    free(storage);
    return latency;
}
