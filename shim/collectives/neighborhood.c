/* Collectives of a neighborhood: each rank gives what it has for its neighbors, and takes from each
 * of theirs what is for it. No rank knows how much the others give. All survivors of the
 * communicator agree on who took part, neighbors or not. */
#include "communicator/neighbors.h"
#include "composite.h"
#include "letters.h"
#include "program/error.h"

/* False without memory. What is got so is given back. */
static bool get_neighbors(const struct ftc_plan *plan, struct ftc_neighbors *n)
{
    if (!plan->neighbors)
        return ftc_neighbors_get(plan->call->comm, n);
    *n = *plan->neighbors;
    return true;
}

static void give_back(const struct ftc_plan *plan, struct ftc_neighbors *n)
{
    if (!plan->neighbors)
        ftc_neighbors_free(n);
}

/* ---- the order of places ---- */

/* Native MPI between this rank and itself, its two neighbors on a ring of one rank. */
static void exchange_with_oneself(enum ftc_call_kind plain, MPI_Comm ring, const int in[2],
                                  int out[2])
{
    static const int count[] = {1, 1}, place[] = {0, 1};
    static const MPI_Aint byte[] = {0, sizeof(int)};
    const MPI_Datatype type[] = {MPI_INT, MPI_INT};

    if (plain == FTC_CALL_NEIGHBOR_ALLTOALLW)
        PMPI_Neighbor_alltoallw(in, count, byte, type, out, count, byte, type, ring);
    else if (plain == FTC_CALL_NEIGHBOR_ALLTOALLV)
        PMPI_Neighbor_alltoallv(in, count, place, MPI_INT, out, count, place, MPI_INT, ring);
    else
        PMPI_Neighbor_alltoall(in, 1, MPI_INT, out, 1, MPI_INT, ring);
}

static bool ask_for_order(enum ftc_call_kind plain)
{
    static const int one = 1;
    const int in[] = {0, 1};
    int out[] = {1, 0};
    MPI_Comm ring;

    if (PMPI_Cart_create(MPI_COMM_SELF, 1, &one, &one, 0, &ring) != MPI_SUCCESS)
        return true;
    exchange_with_oneself(plain, ring, in, out);
    PMPI_Comm_free(&ring);
    return out[0] == 1;
}

/* Whether of several letters from one neighbor the first is for the last place. In a periodic
 * dimension of one or two ranks both neighbors are one rank, and what goes to the left comes from
 * the right; so MPI wants it. MPICH 4.0.2 does so in MPI_Neighbor_alltoall, but not with many
 * counts: this library does as the program's own MPI does, which tells without communication. It is
 * asked before the operation: it may delete a communicator that was freed, for which the lock is
 * needed. */
enum order { UNKNOWN, LAST_FIRST, FIRST_FIRST };
static _Atomic unsigned char order_of[FTC_CALL_COUNT];

static void learn_order(enum ftc_call_kind plain)
{
    if (order_of[plain] == UNKNOWN)
        order_of[plain] = ask_for_order(plain) ? LAST_FIRST : FIRST_FIRST;
}

/* ---- what is asked for ---- */

static bool prepare(const struct ftc_plan *plan, struct ftc_arguments_comm *comm)
{
    struct ftc_neighbors n;

    if (!ftc_neighbors_count(plan->call->comm, &n))
        return false;
    comm->sources = n.sources;
    comm->destinations = n.destinations;
    if (!ftc_call_is_neighbor_allgather(plan->call->kind))
        learn_order(ftc_call_plain(plan->call->kind));
    return true;
}

static bool needs_mpi(const struct ftc_plan *plan)
{
    (void)plan;
    return true;
}

/* ---- given ---- */

static size_t bytes_of_letters(const struct ftc_plan *plan, struct ftc_side_view *view,
                               const struct ftc_neighbors *n)
{
    size_t sum = 0;

    for (int i = 0; i < n->destinations; i++) {
        struct ftc_place place = ftc_side_place(view, i);
        size_t bytes = ftc_place_bytes(&place);

        if (n->destination[i] == MPI_PROC_NULL)
            continue;
        if (bytes > ftc_composite_most(plan))
            return bytes; /* too large, however many more there are */
        sum += ftc_letter_bytes(bytes);
    }
    return sum;
}

/* Also those without data, because more than one may go to one neighbor. */
static int write_letters(struct ftc_plan *plan, void **value, const struct ftc_neighbors *n)
{
    struct ftc_side_view view;
    unsigned char *at;
    int rv = MPI_SUCCESS;

    ftc_side_view(&view, &plan->call->sides->send);
    at = ftc_composite_block(plan, value, bytes_of_letters(plan, &view, n));
    for (int i = 0; at && i < n->destinations; i++) {
        struct ftc_place place = ftc_side_place(&view, i);
        void *data;

        if (n->destination[i] == MPI_PROC_NULL)
            continue;
        data = ftc_letter_write(&at, n->destination[i], ftc_place_bytes(&place));
        rv = ftc_composite_first_error(rv, ftc_place_read(data, &place));
    }
    return rv;
}

static int write_one_for_all(struct ftc_plan *plan, void **value)
{
    struct ftc_side_view view;
    struct ftc_place place;

    ftc_side_view(&view, &plan->call->sides->send);
    place = ftc_side_whole(&view);
    return ftc_composite_add(plan, value, &place);
}

static const void *contribute(struct ftc_plan *plan)
{
    void *value = ftc_composite_begin(plan);
    struct ftc_neighbors n;
    int rv;

    if (!value || !get_neighbors(plan, &n))
        return NULL;
    rv = ftc_call_is_neighbor_allgather(plan->call->kind) ? write_one_for_all(plan, &value)
                                                          : write_letters(plan, &value, &n);
    give_back(plan, &n);
    return rv == MPI_SUCCESS ? value : NULL;
}

/* ---- taken ---- */

static int letters_before(const struct ftc_plan *plan, const struct ftc_neighbors *n, int place)
{
    int before = 0, behind = 0;

    for (int i = 0; i < n->sources; i++) {
        before += i < place && n->source[i] == n->source[place];
        behind += i > place && n->source[i] == n->source[place];
    }
    if (before + behind == 0)
        return 0;
    return order_of[ftc_call_plain(plan->call->kind)] == LAST_FIRST ? behind : before;
}

static int deliver_from(const struct ftc_plan *plan, struct ftc_side_view *view,
                        const struct ftc_neighbors *n, int i, struct ftc_piece block)
{
    struct ftc_place place = ftc_side_place(view, i);
    struct ftc_piece piece;

    if (!block.data)
        return ftc_composite_deliver_dead(&place);
    piece = ftc_call_is_neighbor_allgather(plan->call->kind)
                ? block
                : ftc_letter_find(block, plan->comm->rank, letters_before(plan, n, i));
    return ftc_composite_deliver(plan, n->source[i], &place, piece.data, piece.bytes);
}

static int deliver_to_places(const struct ftc_plan *plan, const struct ftc_neighbors *n)
{
    struct ftc_side_view view;
    int rv = MPI_SUCCESS;
    size_t at = 0;

    ftc_side_view(&view, &plan->call->sides->receive);
    for (int i = 0; i < n->sources; i++)
        if (n->source[i] != MPI_PROC_NULL)
            rv = ftc_composite_first_error(
                rv, deliver_from(plan, &view, n, i, ftc_composite_find(plan, n->source[i], &at)));
    return rv;
}

static int deliver(const struct ftc_plan *plan)
{
    struct ftc_neighbors n;
    int rv;

    if (!ftc_composite_has_result(plan))
        return MPI_SUCCESS;
    if (!get_neighbors(plan, &n))
        return ftc_error_no_memory();
    rv = deliver_to_places(plan, &n);
    give_back(plan, &n);
    return rv;
}

const struct ftc_collective ftc_collective_neighborhood = {
    .prepare = prepare,
    .needs_mpi = needs_mpi,
    .contribute = contribute,
    .deliver = deliver,
};
