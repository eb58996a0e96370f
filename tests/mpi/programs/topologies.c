/* topologies: every call that makes a communicator with a topology, before and after deaths. All
 * survivors check who has which place, what MPI_Cart_coords and its kind answer, and that messages
 * in the neighborhood arrive.
 *
 *     topologies [VICTIMS]...                   ranks with commas between them, which die together
 *     topologies --anytime SEED ROUNDS VICTIM   which dies in the middle of making them */
#include "casualties.h"
#include "fault.h"
#include "problem.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIMS_MAX = 2, UNTOUCHED = -77 };

static int rank, n, problems;
static MPI_Comm old_grid; /* made when all were alive */

#define PROBLEM(...) PROBLEM_OF("topologies", rank, __VA_ARGS__)

/* Who has which place: ranks of the world, -1: nobody. */
struct seats {
    int places, holder[RANKS_MAX];
};

static int rank_at(const struct seats *s, int place)
{
    int before = 0;

    if (place < 0 || s->holder[place] < 0)
        return MPI_PROC_NULL;
    for (int i = 0; i < place; i++)
        before += s->holder[i] >= 0;
    return before;
}

static int place_of(const struct seats *s, int world_rank)
{
    for (int place = 0; place < s->places; place++)
        if (s->holder[place] == world_rank)
            return place;
    return -1;
}

static int count(const struct seats *s)
{
    int ranks = 0;

    for (int place = 0; place < s->places; place++)
        ranks += s->holder[place] >= 0;
    return ranks;
}

/* Each has its own place, and those behind the last one take those of the dead. */
static struct seats seats(int places)
{
    struct seats s = {.places = places};
    int spare = places;

    for (int place = 0; place < places; place++) {
        s.holder[place] = is_dead[place] ? -1 : place;
        while (is_dead[place] && s.holder[place] < 0 && spare < n) {
            if (!is_dead[spare])
                s.holder[place] = spare;
            spare++;
        }
    }
    return s;
}

/* False if this rank has nothing to check. */
static bool is_in(const char *what, MPI_Comm comm, const struct seats *s)
{
    int own = place_of(s, rank), size, new_rank, sum = 0, wanted = 0;
    MPI_Errhandler handler;

    if (comm == MPI_COMM_NULL || own < 0) {
        if ((comm == MPI_COMM_NULL) != (own < 0))
            PROBLEM("%s: place %d, and %s communicator", what, own, own < 0 ? "a" : "no");
        return false;
    }
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &new_rank);
    if (size != count(s) || new_rank != rank_at(s, own)) {
        PROBLEM("%s: rank %d of %d, not %d of %d", what, new_rank, size, rank_at(s, own), count(s));
        return false;
    }
    MPI_Comm_get_errhandler(comm, &handler);
    if (handler != MPI_ERRORS_RETURN)
        PROBLEM("%s: the error handler is not that of its parent", what);
    MPI_Errhandler_free(&handler);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    for (int place = 0; place < s->places; place++)
        wanted += s->holder[place] >= 0 ? s->holder[place] : 0;
    if (sum != wanted)
        PROBLEM("%s: the sum of its ranks is %d, not %d", what, sum, wanted);
    return true;
}

/* ---- grids ---- */

struct grid {
    int dimensions, dims[DIMS_MAX], periods[DIMS_MAX];
};

static int place_at(const struct grid *g, const int *coordinates)
{
    int place = 0;

    for (int d = 0; d < g->dimensions; d++) {
        int c = coordinates[d];

        if (g->periods[d])
            c = (c % g->dims[d] + g->dims[d]) % g->dims[d];
        if (c < 0 || c >= g->dims[d])
            return -1;
        place = place * g->dims[d] + c;
    }
    return place;
}

static void check_shape(const char *what, MPI_Comm comm, const struct grid *g)
{
    int kind, dimensions = -1, dims[DIMS_MAX] = {0}, periods[DIMS_MAX] = {0}, own[DIMS_MAX];

    MPI_Topo_test(comm, &kind);
    if (kind != MPI_CART)
        PROBLEM("%s: its topology is %d, not a grid", what, kind);
    if (kind != MPI_CART)
        return;
    MPI_Cartdim_get(comm, &dimensions);
    MPI_Cart_get(comm, DIMS_MAX, dims, periods, own);
    if (dimensions != g->dimensions || memcmp(dims, g->dims, (size_t)dimensions * sizeof(int)) ||
        memcmp(periods, g->periods, (size_t)dimensions * sizeof(int)))
        PROBLEM("%s: %d dimensions, of %d and %d", what, dimensions, dims[0], dims[1]);
}

static void check_places(const char *what, MPI_Comm comm, const struct grid *g,
                         const struct seats *s)
{
    int coordinates[DIMS_MAX], found, got[DIMS_MAX], dims[DIMS_MAX], periods[DIMS_MAX];

    for (int place = 0; place < s->places; place++) {
        coordinates[0] = g->dimensions == 2 ? place / g->dims[1] : place;
        coordinates[1] = g->dimensions == 2 ? place % g->dims[1] : 0;
        MPI_Cart_rank(comm, coordinates, &found);
        if (found != rank_at(s, place))
            PROBLEM("%s: place %d has rank %d, not %d", what, place, found, rank_at(s, place));
        if (s->holder[place] == rank) {
            MPI_Cart_get(comm, DIMS_MAX, dims, periods, got);
            if (place_at(g, got) != place)
                PROBLEM("%s: this rank is at %d, not %d", what, place_at(g, got), place);
        }
        if (s->holder[place] < 0)
            continue;
        MPI_Cart_coords(comm, found, DIMS_MAX, got);
        if (place_at(g, got) != place)
            PROBLEM("%s: rank %d is at %d, not %d", what, found, place_at(g, got), place);
    }
}

static int shifted(const struct grid *g, const struct seats *s, const int *own, int d, int by)
{
    int coordinates[DIMS_MAX] = {own[0], own[1]};

    coordinates[d] += by;
    return rank_at(s, place_at(g, coordinates));
}

static void check_shifts(const char *what, MPI_Comm comm, const struct grid *g,
                         const struct seats *s)
{
    static const int by[] = {1, -1, 2, 0, 7};
    int own[DIMS_MAX] = {0}, dims[DIMS_MAX], periods[DIMS_MAX], from, to;

    MPI_Cart_get(comm, DIMS_MAX, dims, periods, own);
    for (int d = 0; d < g->dimensions; d++)
        for (unsigned i = 0; i < sizeof by / sizeof *by; i++) {
            MPI_Cart_shift(comm, d, by[i], &from, &to);
            if (from != shifted(g, s, own, d, -by[i]) || to != shifted(g, s, own, d, by[i]))
                PROBLEM("%s: shifted by %d: %d and %d, not %d and %d", what, by[i], from, to,
                        shifted(g, s, own, d, -by[i]), shifted(g, s, own, d, by[i]));
        }
}

/* Each sends to each neighbor who it is, and where it sees that one. */
static void check_exchange(const char *what, MPI_Comm comm, const struct grid *g,
                           const struct seats *s)
{
    int own[DIMS_MAX] = {0}, dims[DIMS_MAX], periods[DIMS_MAX], in[2 * DIMS_MAX], out[2 * DIMS_MAX];

    MPI_Cart_get(comm, DIMS_MAX, dims, periods, own);
    for (int i = 0; i < 2 * g->dimensions; i++) {
        in[i] = 10 * rank + i;
        out[i] = UNTOUCHED;
    }
    MPI_Neighbor_alltoall(in, 1, MPI_INT, out, 1, MPI_INT, comm);
    for (int i = 0; i < 2 * g->dimensions; i++) {
        int coordinates[DIMS_MAX] = {own[0], own[1]}, place, wanted;

        coordinates[i / 2] += i % 2 ? 1 : -1;
        place = place_at(g, coordinates);
        wanted = rank_at(s, place) < 0 ? UNTOUCHED : 10 * s->holder[place] + (i ^ 1);
        if (out[i] != wanted)
            PROBLEM("%s: neighbor %d sent %d, not %d", what, i, out[i], wanted);
    }
}

/* Dimensions that wrap around have three places or more: else both neighbors are one. */
static void check_grid(const char *what, MPI_Comm comm, struct grid g, struct seats s)
{
    if (!is_in(what, comm, &s))
        return;
    check_shape(what, comm, &g);
    if (problems > 0)
        return;
    check_places(what, comm, &g, &s);
    check_shifts(what, comm, &g, &s);
    check_exchange(what, comm, &g, &s);
}

static void drop(MPI_Comm *comm)
{
    if (*comm != MPI_COMM_NULL)
        MPI_Comm_free(comm);
}

static void check_copies(const char *what, MPI_Comm comm, struct grid g, struct seats s)
{
    static const int all[DIMS_MAX] = {1, 1};
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;

    MPI_Comm_dup(comm, &copy);
    check_grid(what, copy, g, s);
    drop(&copy);
    MPI_Comm_idup(comm, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_grid(what, copy, g, s);
    drop(&copy);
    MPI_Cart_sub(comm, all, &copy);
    check_grid(what, copy, g, s);
    drop(&copy);
}

static struct grid sheet(void)
{
    return (struct grid){2, {2, n / 2}, {0, 1}};
}

static void check_row(const char *what, MPI_Comm from)
{
    static const int rows[] = {0, 1};
    int width = n / 2, row = rank / width;
    struct seats s = {.places = width};
    MPI_Comm comm = MPI_COMM_NULL;

    for (int i = 0; i < width; i++)
        s.holder[i] = is_dead[row * width + i] ? -1 : row * width + i;
    MPI_Cart_sub(from, rows, &comm);
    check_grid(what, comm, (struct grid){1, {width}, {1}}, s);
    check_copies("copy of a row", comm, (struct grid){1, {width}, {1}}, s);
    drop(&comm);
}

static void check_column(const char *what, MPI_Comm from)
{
    static const int columns[] = {1, 0};
    int width = n / 2, column = rank % width;
    struct seats s = {.places = 2};
    MPI_Comm comm = MPI_COMM_NULL;

    for (int i = 0; i < 2; i++)
        s.holder[i] = is_dead[i * width + column] ? -1 : i * width + column;
    MPI_Cart_sub(from, columns, &comm);
    check_grid(what, comm, (struct grid){1, {2}, {0}}, s);
    check_copies("copy of a column", comm, (struct grid){1, {2}, {0}}, s);
    drop(&comm);
}

static MPI_Comm make_sheet(void)
{
    struct grid g = sheet();
    MPI_Comm comm = MPI_COMM_NULL;

    MPI_Cart_create(MPI_COMM_WORLD, 2, g.dims, g.periods, 1, &comm);
    return comm;
}

static void grids(void)
{
    struct grid ring = {1, {n - 1}, {1}};
    MPI_Comm comm = make_sheet(), copy = MPI_COMM_NULL, spared = MPI_COMM_NULL;

    check_grid("grid", comm, sheet(), seats(n));
    check_row("row", comm);
    check_column("column", comm);
    check_copies("copy of a grid", comm, sheet(), seats(n));
    MPI_Comm_dup(comm, &copy);
    check_grid("copy of a grid", copy, sheet(), seats(n));
    drop(&comm);
    check_row("row of a copy", copy);
    drop(&copy);
    check_row("row of an old grid", old_grid);
    check_column("column of an old grid", old_grid);
    MPI_Cart_create(MPI_COMM_WORLD, 1, ring.dims, ring.periods, 0, &spared);
    check_grid("grid with a spare rank", spared, ring, seats(n - 1));
    drop(&spared);
}

/* ---- graphs ---- */

static void make_ring(int nodes, int *index, int *edges)
{
    for (int i = 0; i < nodes; i++) {
        index[i] = 2 * (i + 1);
        edges[2 * i] = (i + 1) % nodes;
        edges[2 * i + 1] = (i + nodes - 1) % nodes;
    }
}

static void check_graph(const char *what, MPI_Comm comm, int nodes, const int *edges)
{
    struct seats s = seats(nodes);
    int kind, got_nodes, got_edges, neighbor[2], number, out[2] = {UNTOUCHED, UNTOUCHED};

    if (!is_in(what, comm, &s))
        return;
    MPI_Topo_test(comm, &kind);
    MPI_Graphdims_get(comm, &got_nodes, &got_edges);
    if (kind != MPI_GRAPH || got_nodes != nodes || got_edges != 2 * nodes)
        PROBLEM("%s: topology %d with %d nodes, %d edges", what, kind, got_nodes, got_edges);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, out, 1, MPI_INT, comm);
    for (int place = 0; place < nodes; place++) {
        if (s.holder[place] < 0)
            continue;
        MPI_Graph_neighbors_count(comm, rank_at(&s, place), &number);
        MPI_Graph_neighbors(comm, rank_at(&s, place), 2, neighbor);
        for (int i = 0; i < 2; i++) {
            int at = edges[2 * place + i], wanted = s.holder[at] < 0 ? UNTOUCHED : s.holder[at];

            if (number != 2 || neighbor[i] != rank_at(&s, at))
                PROBLEM("%s: neighbor %d of node %d is %d, not %d", what, i, place, neighbor[i],
                        rank_at(&s, at));
            if (s.holder[place] == rank && out[i] != wanted)
                PROBLEM("%s: neighbor %d sent %d, not %d", what, i, out[i], wanted);
        }
    }
}

static void graphs(void)
{
    int index[RANKS_MAX], edges[2 * RANKS_MAX];
    MPI_Comm comm = MPI_COMM_NULL;

    for (int spare = 0; spare < 2; spare++) {
        make_ring(n - spare, index, edges);
        MPI_Graph_create(MPI_COMM_WORLD, n - spare, index, edges, 0, &comm);
        check_graph(spare ? "graph with a spare rank" : "graph", comm, n - spare, edges);
        drop(&comm);
    }
}

/* ---- distributed graphs: from each rank to the next two ---- */

static int other(int by)
{
    return (rank + by + n) % n;
}

static void check_adjacent(const char *what, MPI_Comm comm, const int *weight)
{
    struct seats s = seats(n);
    int in[2], out[2], in_weight[2], out_weight[2], got[2] = {UNTOUCHED, UNTOUCHED};
    int ins = 0, outs = 0, weighted;

    if (!is_in(what, comm, &s))
        return;
    MPI_Dist_graph_neighbors_count(comm, &ins, &outs, &weighted);
    if (ins != 2 || outs != 2 || (weighted != 0) != (weight != NULL)) {
        PROBLEM("%s: %d in, %d out, weights %d", what, ins, outs, weighted);
        return;
    }
    MPI_Dist_graph_neighbors(comm, 2, in, in_weight, 2, out, out_weight);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, comm);
    for (int i = 0; i < 2; i++) {
        int from = other(-1 - i), to = other(1 + i);

        if (in[i] != rank_at(&s, from) || out[i] != rank_at(&s, to))
            PROBLEM("%s: from %d, to %d, not %d and %d", what, in[i], out[i], rank_at(&s, from),
                    rank_at(&s, to));
        if (weight && (in_weight[i] != weight[i] || out_weight[i] != weight[i]))
            PROBLEM("%s: weights %d and %d", what, in_weight[i], out_weight[i]);
        if (got[i] != (is_dead[from] ? UNTOUCHED : from))
            PROBLEM("%s: neighbor %d sent %d", what, from, got[i]);
    }
}

static MPI_Comm make_adjacent(const int *in_weight, const int *out_weight)
{
    int in[] = {other(-1), other(-2)}, out[] = {other(1), other(2)};
    MPI_Comm comm = MPI_COMM_NULL;

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, in, in_weight, 2, out, out_weight,
                                   MPI_INFO_NULL, 0, &comm);
    return comm;
}

/* The edges of a rank are named by the one before it: what the dead would have named is lost. */
static bool is_edge(int from, int to)
{
    int by = (to - from + n) % n;

    return (by == 1 || by == 2) && !is_dead[from] && !is_dead[to] && !is_dead[(from + n - 1) % n];
}

static void check_named(const char *what, MPI_Comm comm, bool weighted)
{
    struct seats s = seats(n);
    int in[RANKS_MAX], out[RANKS_MAX], in_weight[RANKS_MAX], out_weight[RANKS_MAX];
    int ins, outs, has_weights, edges = 0;

    if (!is_in(what, comm, &s))
        return;
    MPI_Dist_graph_neighbors_count(comm, &ins, &outs, &has_weights);
    MPI_Dist_graph_neighbors(comm, ins, in, in_weight, outs, out, out_weight);
    if ((has_weights != 0) != weighted)
        PROBLEM("%s: weights %d", what, has_weights);
    for (int other_rank = 0; other_rank < n; other_rank++) {
        bool found = false;

        edges += is_edge(rank, other_rank);
        for (int i = 0; i < outs; i++)
            if (out[i] == rank_at(&s, place_of(&s, other_rank)) && !is_dead[other_rank])
                found = !weighted || out_weight[i] == 100 * rank + other_rank;
        if (found != is_edge(rank, other_rank))
            PROBLEM("%s: an edge to %d is %s there", what, other_rank, found ? "" : "not");
    }
    if (edges != outs)
        PROBLEM("%s: %d edges, not %d", what, outs, edges);
}

static MPI_Comm make_named(bool weighted)
{
    int source = other(1), degree = 2, to[] = {other(2), other(3)};
    int weights[] = {100 * source + to[0], 100 * source + to[1]};
    MPI_Comm comm = MPI_COMM_NULL;

    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &degree, to,
                          weighted ? weights : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    return comm;
}

/* ---- a chain, at whose ends is nobody ---- */

/* The rank of the world at a place beside this one. */
static int beside(int by)
{
    int other_rank = rank + by;

    return other_rank < 0 || other_rank >= n ? MPI_PROC_NULL : other_rank;
}

static int rank_beside(const struct seats *s, int by)
{
    int other_rank = beside(by);

    return other_rank == MPI_PROC_NULL ? MPI_PROC_NULL : rank_at(s, other_rank);
}

/* Fills @neighbor with what the graph tells of it. */
static void check_chain(const char *what, MPI_Comm comm, int neighbor[2])
{
    struct seats s = seats(n);
    int out[2], got[2] = {UNTOUCHED, UNTOUCHED};

    if (!is_in(what, comm, &s))
        return;
    MPI_Dist_graph_neighbors(comm, 2, neighbor, MPI_UNWEIGHTED, 2, out, MPI_UNWEIGHTED);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, comm);
    for (int i = 0; i < 2; i++) {
        int by = 2 * i - 1, wanted = rank_beside(&s, by);

        if (neighbor[i] != wanted || out[i] != wanted)
            PROBLEM("%s: neighbors %d and %d, not %d", what, neighbor[i], out[i], wanted);
        if (got[i] != (wanted == MPI_PROC_NULL ? UNTOUCHED : beside(by)))
            PROBLEM("%s: neighbor %d sent %d", what, wanted, got[i]);
    }
}

static MPI_Comm make_chain(MPI_Comm from, const int *neighbor)
{
    MPI_Comm comm = MPI_COMM_NULL;

    MPI_Dist_graph_create_adjacent(from, 2, neighbor, MPI_UNWEIGHTED, 2, neighbor, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &comm);
    return comm;
}

/* Its neighbors are told as they can be given again, those who are nobody, too. */
static void chains(void)
{
    int neighbor[] = {beside(-1), beside(1)}, told[] = {MPI_PROC_NULL, MPI_PROC_NULL};
    MPI_Comm chain = make_chain(MPI_COMM_WORLD, neighbor), again;

    check_chain("chain", chain, told);
    again = make_chain(chain, told);
    check_chain("chain of what a chain tells", again, told);
    drop(&again);
    drop(&chain);
}

static void distributed_graphs(void)
{
    static const int weight[] = {5, 6};
    MPI_Comm comm = make_adjacent(MPI_UNWEIGHTED, MPI_UNWEIGHTED);

    check_adjacent("adjacent", comm, NULL);
    drop(&comm);
    comm = make_adjacent(weight, weight);
    check_adjacent("adjacent, weighted", comm, weight);
    drop(&comm);
    for (int weighted = 0; weighted < 2; weighted++) {
        comm = make_named(weighted);
        check_named(weighted ? "edges of others, weighted" : "edges of others", comm, weighted);
        drop(&comm);
    }
}

/* ---- all of it ---- */

/* Native MPI rejects it, whoever is dead. */
static void rejected(void)
{
    int dims[] = {2, n}, periods[] = {0, 0};
    MPI_Comm comm = MPI_COMM_NULL;

    if (MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm) == MPI_SUCCESS)
        PROBLEM("a grid of %d places for %d ranks", 2 * n, n);
}

static void stage(void)
{
    grids();
    graphs();
    distributed_graphs();
    chains();
    rejected();
}

/* Whether it has the dead depends on when they die; a survivor's place does not. */
static void check_sheet(MPI_Comm comm, int alive)
{
    int mine = 1 << rank, all = 0, coordinates[DIMS_MAX], own;
    struct grid g = sheet();

    if (comm == MPI_COMM_NULL) {
        PROBLEM("no grid");
        return;
    }
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_BOR, comm);
    if ((all & alive) != alive)
        PROBLEM("the ranks are %x, which lacks some of %x", (unsigned)all, (unsigned)alive);
    MPI_Comm_rank(comm, &own);
    MPI_Cart_coords(comm, own, DIMS_MAX, coordinates);
    if (place_at(&g, coordinates) != rank)
        PROBLEM("this rank is at place %d", place_at(&g, coordinates));
}

static void make_and_use(int how, int alive)
{
    static const int all[] = {1, 1};
    MPI_Comm comm = MPI_COMM_NULL;
    int size = 0;

    if (how == 0) {
        comm = make_sheet();
        check_sheet(comm, alive);
    } else if (how == 1) {
        MPI_Cart_sub(old_grid, all, &comm);
        check_sheet(comm, alive);
    } else {
        comm = how == 2 ? make_adjacent(MPI_UNWEIGHTED, MPI_UNWEIGHTED) : make_named(false);
        MPI_Comm_size(comm, &size);
        if (size < __builtin_popcount((unsigned)alive))
            PROBLEM("a graph of %d ranks", size);
    }
    drop(&comm);
}

static void at_any_time(uint64_t seed, int rounds, int victim)
{
    static const struct fault kill = {.form = FAULT_KILL};
    int alive = ((1 << n) - 1) & ~(1 << victim);
    int last = (int)(fault_random(seed) % (uint64_t)(4 * rounds));

    for (int i = 0; i < 4 * rounds; i++) {
        fault_step_begin();
        if (rank == victim && i == last)
            fault_happen_in_step(&kill, seed);
        make_and_use(i % 4, alive);
        fault_step_end();
    }
}

int main(int argc, char **argv)
{
    bool anytime = argc == 5 && strcmp(argv[1], "--anytime") == 0;

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (n > RANKS_MAX || n < 6 || n % 2 != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    old_grid = make_sheet();
    if (anytime) {
        at_any_time(strtoull(argv[2], NULL, 10), atoi(argv[3]), atoi(argv[4]));
    } else {
        stage();
        for (int i = 1; i < argc; i++) {
            casualties_die(argv[i], rank);
            stage();
        }
    }
    casualties_meet();
    if (problems == 0)
        printf("topologies: rank %d is content\n", rank);
    MPI_Finalize();
    return problems > 0;
}
