/* neighbors: collectives of a neighborhood, on grids, also periodic ones of so few ranks that both
 * neighbors are one, on graphs whose edges go one way, and where a rank has no neighbors, in each
 * form, also with datatypes that have gaps or another order than memory. */
#include "forms.h"
#include "output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMS = 4, DEGREE_MAX = 8, COUNT = 3, BUFFER = 2 * DEGREE_MAX * (COUNT + 1) };

static int rank, n, in[BUFFER], out[BUFFER];
static MPI_Comm comm;
static const char *shape;

static void fill(int seed)
{
    for (int i = 0; i < BUFFER; i++) {
        in[i] = 10000 * (rank + 1) + 100 * seed + i;
        out[i] = -1 - rank;
    }
}

static void show(const char *call, int form, int rv)
{
    char what[128];

    snprintf(what, sizeof what, "%s, %s %d", shape, call, form);
    output_result(what, rv, out, sizeof out);
}

static int sources, destinations, source[DEGREE_MAX], destination[DEGREE_MAX];

static void find_neighbors(void)
{
    int kind, is_weighted, dimensions;

    MPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        MPI_Cartdim_get(comm, &dimensions);
        sources = destinations = 2 * dimensions;
        for (int d = 0; d < dimensions; d++)
            MPI_Cart_shift(comm, d, 1, &source[2 * d], &source[2 * d + 1]);
        memcpy(destination, source, sizeof source);
    } else if (kind == MPI_GRAPH) {
        MPI_Graph_neighbors_count(comm, rank, &sources);
        destinations = sources;
        MPI_Graph_neighbors(comm, rank, sources, source);
        memcpy(destination, source, sizeof source);
    } else {
        MPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &is_weighted);
        MPI_Dist_graph_neighbors(comm, sources, source, MPI_UNWEIGHTED, destinations, destination,
                                 MPI_UNWEIGHTED);
    }
}

/* The same from both ends, and sometimes nothing. */
static int amount(int from, int to)
{
    return from < 0 || to < 0 ? 1 : (from + to) % (COUNT + 1);
}

/* The call in its form: 0 plain, 1 for large counts, 2 nonblocking, 3 persistent. */
#define CALL(form, name, arguments, wide_arguments)                                                \
    (form == 1   ? form_ended(MPI_Neighbor_##name##_c(LIST wide_arguments, comm))                  \
     : form == 2 ? form_waited(MPI_Ineighbor_##name(LIST arguments, comm, &form_request))          \
     : form == 3 && form_persistent_is_sane(n)                                                     \
         ? form_started(                                                                           \
               MPI_Neighbor_##name##_init(LIST arguments, comm, MPI_INFO_NULL, &form_request), 1)  \
         : form_ended(MPI_Neighbor_##name(LIST arguments, comm)))

static void even(int form)
{
    MPI_Datatype type = sources + destinations > 0 ? MPI_INT : MPI_DATATYPE_NULL;
    int count = type == MPI_INT ? 2 : 0;

    fill(form);
    show("allgather", form,
         CALL(form, allgather, (in, count, type, out, count, type),
              (in, count, type, out, count, type)));
    fill(form + 1);
    show("alltoall", form,
         CALL(form, alltoall, (in, count, type, out, count, type),
              (in, count, type, out, count, type)));
}

struct counts {
    int count[DEGREE_MAX], place[DEGREE_MAX];
    MPI_Count wide_count[DEGREE_MAX];
    MPI_Aint wide_place[DEGREE_MAX], byte[DEGREE_MAX];
    MPI_Datatype type[DEGREE_MAX];
};

/* From the last to the first; of nothing without a datatype. */
static void set(struct counts *c, int degree, int i, int count)
{
    c->wide_count[i] = c->count[i] = count;
    c->wide_place[i] = c->place[i] = (degree - 1 - i) * (COUNT + 1);
    c->byte[i] = c->place[i] * (MPI_Aint)sizeof(int);
    c->type[i] = count > 0 ? MPI_INT : MPI_DATATYPE_NULL;
}

/* Arrays of a struct counts s, and r; of nobody there are none. */
#define TO(array)   (destinations > 0 ? LENT(s.array) : NULL)
#define FROM(array) (sources > 0 ? LENT(r.array) : NULL)

static void uneven(int form)
{
    struct counts s, r, all;
    int rv;

    for (int i = 0; i < destinations; i++)
        set(&s, destinations, i, amount(rank, destination[i]));
    for (int i = 0; i < sources; i++) {
        set(&r, sources, i, amount(source[i], rank));
        set(&all, sources, i, 1 + (source[i] + 2) % COUNT);
    }
    fill(form);
    rv = CALL(form, allgatherv,
              (in, 1 + (rank + 2) % COUNT, MPI_INT, out, LENT(all.count), LENT(all.place), MPI_INT),
              (in, 1 + (rank + 2) % COUNT, MPI_INT, out, LENT(all.wide_count), LENT(all.wide_place),
               MPI_INT));
    show("allgatherv", form, rv);
    fill(form + 1);
    rv = CALL(form, alltoallv,
              (in, TO(count), TO(place), MPI_INT, out, FROM(count), FROM(place), MPI_INT),
              (in, TO(wide_count), TO(wide_place), MPI_INT, out, FROM(wide_count), FROM(wide_place),
               MPI_INT));
    show("alltoallv", form, rv);
    fill(form + 2);
    rv = CALL(
        form, alltoallw,
        (in, TO(count), TO(byte), TO(type), out, FROM(count), FROM(byte), FROM(type)),
        (in, TO(wide_count), TO(byte), TO(type), out, FROM(wide_count), FROM(byte), FROM(type)));
    show("alltoallw", form, rv);
}

static MPI_Datatype spread, swapped; /* 2 ints with gaps, and the second first */

static void make_datatypes(void)
{
    int lengths[] = {1, 1}, places[] = {1, 0};
    MPI_Datatype two;

    MPI_Type_vector(2, 1, 2, MPI_INT, &two);
    MPI_Type_create_resized(two, 0, (COUNT + 1) * sizeof(int), &spread);
    MPI_Type_free(&two);
    MPI_Type_indexed(2, lengths, places, MPI_INT, &swapped);
    MPI_Type_commit(&spread);
    MPI_Type_commit(&swapped);
}

static void derived(int form)
{
    struct counts s, r;
    int rv;

    fill(form);
    show("allgather of a datatype", form,
         CALL(form, allgather, (in, 1, swapped, out, 1, spread), (in, 1, swapped, out, 1, spread)));
    fill(form + 1);
    show("alltoall of a datatype", form,
         CALL(form, alltoall, (in, 1, spread, out, 1, swapped), (in, 1, spread, out, 1, swapped)));
    for (int i = 0; i < destinations; i++)
        set(&s, destinations, i, amount(rank, destination[i]) % 2);
    for (int i = 0; i < sources; i++)
        set(&r, sources, i, amount(source[i], rank) % 2);
    fill(form + 2);
    rv = CALL(form, alltoallv,
              (in, TO(count), TO(place), swapped, out, FROM(count), FROM(place), swapped),
              (in, TO(wide_count), TO(wide_place), swapped, out, FROM(wide_count), FROM(wide_place),
               swapped));
    show("alltoallv of a datatype", form, rv);
}

static void move_to(struct counts *c, int degree, const void *buffer)
{
    MPI_Aint address;

    MPI_Get_address(buffer, &address);
    for (int i = 0; i < degree; i++)
        c->byte[i] += address;
}

/* Displacements that are addresses. */
static void from_the_bottom(int form)
{
    struct counts s, r;
    int rv;

    for (int i = 0; i < destinations; i++)
        set(&s, destinations, i, amount(rank, destination[i]));
    for (int i = 0; i < sources; i++)
        set(&r, sources, i, amount(source[i], rank));
    move_to(&s, destinations, in);
    move_to(&r, sources, out);
    fill(form);
    rv = CALL(form, alltoallw,
              (MPI_BOTTOM, LENT(s.count), LENT(s.byte), LENT(s.type), MPI_BOTTOM, LENT(r.count),
               LENT(r.byte), LENT(r.type)),
              (MPI_BOTTOM, LENT(s.wide_count), LENT(s.byte), LENT(s.type), MPI_BOTTOM,
               LENT(r.wide_count), LENT(r.byte), LENT(r.type)));
    show("alltoallw from the bottom", form, rv);
}

static void all_calls(const char *name)
{
    shape = name;
    MPI_Comm_rank(comm, &rank);
    find_neighbors();
    for (int form = 0; form < FORMS; form++) {
        even(form);
        uneven(form);
        derived(form);
        from_the_bottom(form);
    }
    MPI_Comm_free(&comm);
}

static void grid(const char *name, int dimensions, int is_periodic)
{
    int sizes[2] = {0, 0}, periods[2] = {is_periodic, is_periodic};

    MPI_Dims_create(n, dimensions, sizes);
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, sizes, periods, 0, &comm);
    all_calls(name);
}

/* Each sends to the next two, as far as there are. */
static void one_way(void)
{
    int from[2], to[2], in_degree = 0, out_degree = 0;

    for (int d = 1; d <= 2 && d < n; d++) {
        from[in_degree++] = (rank + n - d) % n;
        to[out_degree++] = (rank + d) % n;
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in_degree, from, MPI_UNWEIGHTED, out_degree, to,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    all_calls("one way");
}

/* A ring without the last rank, which has no neighbors. */
static void one_apart(void)
{
    int others = n - 1, degree = rank < others, from, to;

    from = (rank + others - 1) % others;
    to = (rank + 1) % others;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, &from, MPI_UNWEIGHTED, degree, &to,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    all_calls("one apart");
}

/* All with rank 0, and only with it. */
static void star(void)
{
    int index[DEGREE_MAX], edges[2 * DEGREE_MAX], count = 0;

    for (int i = 1; i < n; i++)
        edges[count++] = i;
    index[0] = count;
    for (int i = 1; i < n; i++) {
        edges[count++] = 0;
        index[i] = count;
    }
    MPI_Graph_create(MPI_COMM_WORLD, n, index, edges, 0, &comm);
    all_calls("star");
}

static void without_neighbors(void)
{
    int rv, class;

    fill(0);
    rv = MPI_Neighbor_allgather(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Error_class(rv, &class);
    output_line("no topology: %d", class == MPI_ERR_TOPOLOGY);
}

int main(int argc, char **argv)
{
    output_init(argc, argv, &rank, &n);
    make_datatypes();
    grid("ring", 1, 1);
    grid("line", 1, 0);
    grid("torus", 2, 1);
    grid("grid", 2, 0);
    one_way();
    one_apart();
    star();
    without_neighbors();
    output_close();
    MPI_Finalize();
    return 0;
}
