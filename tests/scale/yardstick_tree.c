/* Reduce up a tree, broadcast down a tree. The trees are built without the library's help. */
#include "memory.h"
#include "yardstick.h"

#include <stdlib.h>
#include <string.h>

struct tree {
    int *parent, *first_child, *next_sibling; /* of each rank; -1: none */
};

static struct tree new_tree(int n)
{
    int *links = memory_resize(NULL, 3 * (size_t)n * sizeof *links);

    memset(links, -1, 3 * (size_t)n * sizeof *links);
    return (struct tree){links, links + n, links + 2 * n};
}

static void free_tree(struct tree *t)
{
    free(t->parent);
}

static void add_first_child(struct tree *t, int rank, int parent)
{
    t->parent[rank] = parent;
    t->next_sibling[rank] = t->first_child[parent];
    t->first_child[parent] = rank;
}

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

/* The parent of a rank lacks its lowest bit; the largest subtree, of the highest bit, is first. */
int64_t yardstick_binomial(int n, struct ftc_logp cost, int ways)
{
    struct tree t = new_tree(n);
    int64_t latency;

    for (int rank = 1; rank < n; rank++)
        add_first_child(&t, rank, rank & (rank - 1));
    latency = run(n, cost, &t, ways);
    free_tree(&t);
    return latency;
}

/* Whoever has the value sends it to somebody new every @gap ticks, usable after @latency. */
static void grow(struct tree *t, int n, int latency, int gap)
{
    struct clock clock;
    struct event sender = {.rank = 0};

    clock_init(&clock);
    clock_schedule(&clock, 0, sender);
    for (int rank = 1; rank < n; rank++) {
        clock_next(&clock, &sender);
        t->parent[rank] = sender.rank;
        clock_schedule(&clock, clock.now + gap, sender);
        clock_schedule(&clock, clock.now + latency, (struct event){.rank = rank});
    }
    clock_free(&clock);
    for (int rank = n - 1; rank > 0; rank--)
        add_first_child(t, rank, t->parent[rank]);
}

static int64_t broadcast(int n, struct ftc_logp cost, int latency, int gap)
{
    struct tree t = new_tree(n);
    int64_t ticks;

    grow(&t, n, latency, gap);
    ticks = run(n, cost, &t, YARDSTICK_DOWN);
    free_tree(&t);
    return ticks;
}

int64_t yardstick_lame(int n, struct ftc_logp cost, int k)
{
    return broadcast(n, cost, k, 1);
}

int64_t yardstick_optimal(int n, struct ftc_logp cost)
{
    return broadcast(n, cost, cost.L + 2 * cost.o, cost.g > cost.o ? cost.g : cost.o);
}
