/* between: collective calls on intercommunicators of two groups that differ in size and order, each
 * rank of both the root in turn, in their plain, large-count, nonblocking and persistent forms; of
 * nothing, of little, and of more than one message carries. */
#include "forms.h"
#include "output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 8, FORMS = 4, MOST = 3000, GAP = 2, BUFFER = 2 * RANKS_MAX * (MOST + 4) };

static int rank, n;
static MPI_Comm inter;
static int side, own, local, remote;
static int in[BUFFER], out[BUFFER];
static MPI_Datatype spread; /* an int, with a gap behind it */
static MPI_Op compose;      /* not commutative */

static void fill(int seed)
{
    for (int i = 0; i < BUFFER; i++) {
        in[i] = seed * 37 + i * 11 + (rank + 1) * 101;
        out[i] = -1000 - rank;
    }
}

static void show(const char *call, int form, int count, int root, int rv)
{
    char what[128];

    snprintf(what, sizeof what, "%s, form %d, count %d, root %d", call, form, count, root);
    output_result(what, rv, out, sizeof out);
}

#define CALL(form, name, Iname, arguments, wide_arguments)                                         \
    FORM_CALL(form, inter, n, name, Iname, arguments, wide_arguments)
#define SAME(form, name, Iname, ...) CALL(form, name, Iname, (__VA_ARGS__), (__VA_ARGS__))

/* This rank's argument where rank @root of group @group is the root. */
static int root_argument(int group, int root)
{
    if (side != group)
        return root;
    return own == root ? MPI_ROOT : MPI_PROC_NULL;
}

/* For the ranks of the other group, from the last to the first, with gaps. */
struct many {
    int counts[RANKS_MAX], places[RANKS_MAX];
    MPI_Count wide_counts[RANKS_MAX];
    MPI_Aint wide_places[RANKS_MAX];
};

/* How much a rank has for one of the other group, which may be nothing. */
static int amount(int from, int to, int count)
{
    return count * ((from * 2 + to * 3) % 4) / 3;
}

static struct many many(int count, bool are_sent)
{
    struct many m;

    for (int i = 0; i < remote; i++) {
        m.wide_counts[i] = m.counts[i] = are_sent ? amount(own, i, count) : amount(i, own, count);
        m.wide_places[i] = m.places[i] = (remote - 1 - i) * (count + GAP);
    }
    return m;
}

/* MPI_Ibcast between two groups of several ranks ends MPICH 4.0.2 by an assertion. */
static int bcast_form(int form)
{
    return form == 2 && !form_persistent_is_sane(n) ? 0 : form;
}

static void rooted(int form, int count, int group, int root)
{
    int argument = root_argument(group, root), takes_part = argument != MPI_PROC_NULL;
    int some = takes_part ? count : 0;
    struct many s = many(count, true), r = many(count, false);
    int from_root = amount(root, own, count), to_root = amount(own, root, count);

    fill(root);
    memcpy(out, in, sizeof out);
    show("bcast", form, count, argument,
         SAME(bcast_form(form), Bcast, Ibcast, out, some, MPI_INT, argument));
    fill(root + 1);
    show("gather", form, count, argument,
         SAME(form, Gather, Igather, in, some, MPI_INT, out, some, spread, argument));
    fill(root + 2);
    show("scatter", form, count, argument,
         SAME(form, Scatter, Iscatter, in, some, spread, out, some, MPI_INT, argument));
    fill(root + 3);
    show("gatherv", form, count, argument,
         CALL(form, Gatherv, Igatherv,
              (in, to_root, MPI_INT, out, LENT(r.counts), LENT(r.places), MPI_INT, argument),
              (in, to_root, MPI_INT, out, LENT(r.wide_counts), LENT(r.wide_places), MPI_INT,
               argument)));
    fill(root + 4);
    show("scatterv", form, count, argument,
         CALL(form, Scatterv, Iscatterv,
              (in, LENT(s.counts), LENT(s.places), MPI_INT, out, from_root, MPI_INT, argument),
              (in, LENT(s.wide_counts), LENT(s.wide_places), MPI_INT, out, from_root, MPI_INT,
               argument)));
    fill(root + 5);
    show("reduce", form, count, argument,
         SAME(form, Reduce, Ireduce, in, out, some, MPI_INT, MPI_SUM, argument));
    fill(root + 6);
    show("reduce in order", form, count, argument,
         SAME(form, Reduce, Ireduce, in, out, some, MPI_INT, compose, argument));
}

static void by_counts(int form, int count)
{
    struct many s = many(count, true), r = many(count, false), g = many(count, false);
    MPI_Datatype sent[RANKS_MAX], received[RANKS_MAX];
    int mine = amount(own, 1, count);

    for (int i = 0; i < remote; i++)
        g.wide_counts[i] = g.counts[i] = amount(i, 1, count);
    fill(10);
    show("allgatherv", form, count, 0,
         CALL(form, Allgatherv, Iallgatherv,
              (in, mine, MPI_INT, out, LENT(g.counts), LENT(g.places), spread),
              (in, mine, MPI_INT, out, LENT(g.wide_counts), LENT(g.wide_places), spread)));
    fill(11);
    show("alltoallv", form, count, 0,
         CALL(form, Alltoallv, Ialltoallv,
              (in, LENT(s.counts), LENT(s.places), MPI_INT, out, LENT(r.counts), LENT(r.places),
               MPI_INT),
              (in, LENT(s.wide_counts), LENT(s.wide_places), MPI_INT, out, LENT(r.wide_counts),
               LENT(r.wide_places), MPI_INT)));
    for (int i = 0; i < remote; i++) {
        sent[i] = i % 2 == 0 ? MPI_INT : MPI_UNSIGNED;
        received[i] = own % 2 == 0 ? MPI_INT : MPI_UNSIGNED;
        s.wide_places[i] = s.places[i] *= (int)sizeof(int);
        r.wide_places[i] = r.places[i] *= (int)sizeof(int);
    }
    fill(12);
    show("alltoallw", form, count, 0,
         CALL(form, Alltoallw, Ialltoallw,
              (in, LENT(s.counts), LENT(s.places), LENT(sent), out, LENT(r.counts), LENT(r.places),
               LENT(received)),
              (in, LENT(s.wide_counts), LENT(s.wide_places), LENT(sent), out, LENT(r.wide_counts),
               LENT(r.wide_places), LENT(received))));
}

/* A reduce_scatter has as many elements for one group as for the other. */
static void everybody(int form, int count)
{
    int counts[RANKS_MAX] = {0}, each = count * remote;
    MPI_Count wide_counts[RANKS_MAX] = {0};

    show("barrier", form, 0, 0,
         form == 2 ? form_waited(MPI_Ibarrier(inter, &form_request))
         : form == 3 && form_persistent_is_sane(n)
             ? form_started(MPI_Barrier_init(inter, MPI_INFO_NULL, &form_request), 2)
             : MPI_Barrier(inter));
    fill(20);
    show("allgather", form, count, 0,
         SAME(form, Allgather, Iallgather, in, count, MPI_INT, out, count, spread));
    fill(21);
    show("alltoall", form, count, 0,
         SAME(form, Alltoall, Ialltoall, in, count, spread, out, count, MPI_INT));
    fill(22);
    show("allreduce", form, count, 0,
         SAME(form, Allreduce, Iallreduce, in, out, count, MPI_INT, MPI_SUM));
    fill(23);
    show("allreduce in order", form, count, 0,
         SAME(form, Allreduce, Iallreduce, in, out, count, MPI_INT, compose));
    if (count * local * remote > MOST)
        return;
    fill(24);
    show("reduce_scatter_block", form, count, 0,
         SAME(form, Reduce_scatter_block, Ireduce_scatter_block, in, out, each, MPI_INT, MPI_MAX));
    wide_counts[0] = counts[0] = local * each;
    if (local > 1) {
        wide_counts[0] = counts[0] = each / 2;
        wide_counts[local - 1] = counts[local - 1] = local * each - each / 2;
    }
    fill(25);
    show("reduce_scatter", form, count, 0,
         CALL(form, Reduce_scatter, Ireduce_scatter, (in, out, LENT(counts), MPI_INT, MPI_SUM),
              (in, out, LENT(wide_counts), MPI_INT, MPI_SUM)));
}

static void use(void)
{
    static const int counts[] = {1, 0, 5, 300, MOST};

    for (int i = 0; i < 5; i++)
        for (int form = 0; form < FORMS; form++) {
            everybody(form, counts[i]);
            by_counts(form, counts[i]);
            for (int group = 0; group < 2; group++)
                for (int root = 0; root < (group == side ? local : remote); root++)
                    rooted(form, counts[i], group, root);
        }
}

/* Three times the left one and the right one: their order counts. */
static void join(void *left, void *right, int *length, MPI_Datatype *type)
{
    const int *a = left;
    int *b = right;

    (void)type;
    for (int i = 0; i < *length; i++)
        b[i] = (int)(3u * (unsigned)a[i] + (unsigned)b[i]);
}

/* Sums, wherever they are in an element. */
static void join_pairs(void *left, void *right, int *length, MPI_Datatype *type)
{
    int gap = side == 0 ? 1 : 2;
    MPI_Aint lb, extent;

    MPI_Type_get_extent(*type, &lb, &extent);
    for (int i = 0; i < *length; i++) {
        const int *a = (const int *)((const char *)left + i * extent);
        int *b = (int *)((char *)right + i * extent);

        b[0] += a[0];
        b[gap] += a[gap];
    }
}

/* Nothing for the first rank of each group. */
static void to_the_others(void)
{
    int counts[RANKS_MAX] = {0}, sum = 5 * local * remote;

    if (local == 1)
        return;
    for (int i = 1; i < local; i++)
        counts[i] = sum / (local - 1) + (i == 1 ? sum % (local - 1) : 0);
    fill(30);
    output_result("reduce_scatter to the others",
                  MPI_Reduce_scatter(in, own == 0 ? NULL : out, counts, MPI_INT, MPI_SUM, inter),
                  out, sizeof out);
}

/* The groups have other datatypes of one signature: pairs, in order or swapped, with a gap. */
static void with_other_types(void)
{
    int lengths[] = {1, 1}, places[] = {2, 0};
    MPI_Datatype pair;
    MPI_Op swap;

    if (side == 0)
        MPI_Type_contiguous(2, MPI_INT, &pair);
    else
        MPI_Type_indexed(2, lengths, places, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(join_pairs, 1, &swap);
    fill(31);
    output_result("allreduce of other types", MPI_Allreduce(in, out, 4, pair, swap, inter), out,
                  sizeof out);
    MPI_Op_free(&swap);
    MPI_Type_free(&pair);
}

/* What is natively an error before anybody waits; who stands beside the root does not see it. */
static void wrong(void)
{
    int beside = root_argument(0, 0), rv;

    rv = MPI_Reduce(in, out, 1, MPI_INT, beside == MPI_PROC_NULL ? MPI_SUM : MPI_OP_NULL, beside,
                    inter);
    output_result("no operation", rv, NULL, 0);
    rv = MPI_Bcast(beside == MPI_PROC_NULL ? out : NULL, 1, MPI_INT, beside, inter);
    output_result("no buffer", rv, NULL, 0);
    output_result("no such root", MPI_Bcast(out, 1, MPI_INT, remote, inter), NULL, 0);
    output_result("a prefix", MPI_Scan(in, out, 1, MPI_INT, MPI_SUM, inter), NULL, 0);
    output_result("in place", MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_INT, MPI_SUM, inter), NULL,
                  0);
    output_result("negative count", MPI_Allgather(in, -1, MPI_INT, out, 1, MPI_INT, inter), NULL,
                  0);
}

/* Those for whom @group is the same are one group, in the order of @key. */
static void between(const char *name, int group, int key, int leaders[2])
{
    MPI_Comm own_side, copy;

    side = group;
    MPI_Comm_split(MPI_COMM_WORLD, side, key, &own_side);
    MPI_Comm_rank(own_side, &own);
    MPI_Comm_size(own_side, &local);
    MPI_Intercomm_create(own_side, 0, MPI_COMM_WORLD, leaders[1 - side], 7, &inter);
    MPI_Comm_remote_size(inter, &remote);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    output_line("%s: %d of %d, against %d", name, own, local, remote);
    use();
    if (local > 1 && remote > 1)
        to_the_others();
    with_other_types();
    wrong();
    MPI_Comm_dup(inter, &copy);
    MPI_Comm_free(&inter);
    inter = copy;
    everybody(0, 2);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&own_side);
}

int main(int argc, char **argv)
{
    output_init(argc, argv, &rank, &n);
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spread);
    MPI_Type_commit(&spread);
    MPI_Op_create(join, 0, &compose);
    between("the first", rank > 0, rank, (int[]){0, 1});
    between("the last", rank < n - 1, -rank, (int[]){n - 1, n - 2});
    between("every other", rank % 2, n - rank, (int[]){(n - 1) / 2 * 2, (n - 2) / 2 * 2 + 1});
    MPI_Op_free(&compose);
    MPI_Type_free(&spread);
    output_close();
    MPI_Finalize();
    return 0;
}
