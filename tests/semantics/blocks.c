/* blocks: calls that move blocks between ranks: gather, scatter, allgather and alltoall, with one
 * count or many, of any datatype, in place, of nothing, with gaps between the blocks and blocks out
 * of order, in their plain, large-count, nonblocking and persistent forms, on several
 * communicators. */
#include "forms.h"
#include "output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 8, COUNT_MAX = 4, BUFFER_BYTES = 1 << 14, FORMS = 4 };

static int rank, n;
static MPI_Comm comm;
static unsigned char in[BUFFER_BYTES], out[BUFFER_BYTES];

/* What is sent as one type may be received as another of the same elements. */
struct pair {
    const char *name;
    MPI_Datatype send, receive;
    int receive_extent, send_extent;
};

static void fill(int seed)
{
    for (int i = 0; i < BUFFER_BYTES; i++) {
        in[i] = (unsigned char)(seed * 37 + i * 11 + (rank + 1) * 101);
        out[i] = (unsigned char)(0xe0 + rank);
    }
}

static void show(const char *call, const struct pair *p, int number, int rv)
{
    char what[128];

    snprintf(what, sizeof what, "%s %s %d", call, p->name, number);
    output_result(what, rv, out, sizeof out);
}

#define CALL(form, name, Iname, arguments, wide_arguments)                                         \
    FORM_CALL(form, comm, n, name, Iname, arguments, wide_arguments)
#define EVEN(form, name, Iname, ...) CALL(form, name, Iname, (__VA_ARGS__), (__VA_ARGS__))

static void gather(const struct pair *p, int count)
{
    for (int form = 0; form < FORMS; form++)
        for (int root = 0; root < n; root++) {
            unsigned char *own = out + rank * count * p->receive_extent;

            fill(root);
            show("gather", p, root,
                 EVEN(form, Gather, Igather, in, count, p->send, rank == root ? out : NULL, count,
                      p->receive, root));
            fill(root + 1);
            memcpy(own, in, (size_t)(count * p->receive_extent));
            show("gather in place", p, root,
                 EVEN(form, Gather, Igather, rank == root ? MPI_IN_PLACE : own, count, p->receive,
                      out, count, p->receive, root));
        }
}

static void scatter(const struct pair *p, int count)
{
    for (int form = 0; form < FORMS; form++)
        for (int root = 0; root < n; root++) {
            fill(root);
            show("scatter", p, root,
                 EVEN(form, Scatter, Iscatter, in, count, p->send, out, count, p->receive, root));
            fill(root + 1);
            show("scatter in place", p, root,
                 EVEN(form, Scatter, Iscatter, rank == root ? in : NULL, count, p->send,
                      rank == root ? MPI_IN_PLACE : out, count, p->receive, root));
        }
}

static void everybody(const struct pair *p, int count)
{
    for (int form = 0; form < FORMS; form++) {
        fill(form);
        show("allgather", p, form,
             EVEN(form, Allgather, Iallgather, in, count, p->send, out, count, p->receive));
        fill(form + 1);
        memcpy(out + rank * count * p->receive_extent, in, (size_t)(count * p->receive_extent));
        show("allgather in place", p, form,
             EVEN(form, Allgather, Iallgather, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, out, count,
                  p->receive));
        fill(form + 2);
        show("alltoall", p, form,
             EVEN(form, Alltoall, Ialltoall, in, count, p->send, out, count, p->receive));
        fill(form + 3);
        memcpy(out, in, sizeof out);
        show("alltoall in place", p, form,
             EVEN(form, Alltoall, Ialltoall, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, out, count,
                  p->receive));
    }
}

/* ---- with many counts ---- */

/* How much @from has for @to, which may be nothing. */
static int amount(int from, int to)
{
    return (from * 2 + to * 3) % COUNT_MAX;
}

/* Blocks from the last to the first, with room for one element between them. */
struct many {
    int counts[RANKS_MAX], places[RANKS_MAX];
    MPI_Count wide_counts[RANKS_MAX];
    MPI_Aint wide_places[RANKS_MAX];
};

static void set(struct many *m, int i, int count)
{
    m->wide_counts[i] = m->counts[i] = count;
    m->wide_places[i] = m->places[i] = (n - 1 - i) * (COUNT_MAX + 1);
}

static struct many to_all(void)
{
    struct many m;

    for (int i = 0; i < n; i++)
        set(&m, i, amount(rank, i));
    return m;
}

static struct many from_all(int to)
{
    struct many m;

    for (int i = 0; i < n; i++)
        set(&m, i, amount(i, to));
    return m;
}

#define GATHERV(form, a, b, c, d, m, e, root)                                                      \
    CALL(form, Gatherv, Igatherv, (a, b, c, d, LENT((m).counts), LENT((m).places), e, root),       \
         (a, b, c, d, LENT((m).wide_counts), LENT((m).wide_places), e, root))

static void gatherv(const struct pair *p)
{
    for (int form = 0; form < FORMS; form++)
        for (int root = 0; root < n; root++) {
            struct many m = from_all(root);
            int mine = amount(rank, root);
            const void *source = in;

            fill(root);
            show("gatherv", p, root, GATHERV(form, in, mine, p->send, out, m, p->receive, root));
            fill(root + 1);
            if (rank == root) {
                memcpy(out + m.places[rank] * p->receive_extent, in,
                       (size_t)(mine * p->receive_extent));
                source = MPI_IN_PLACE;
            }
            show("gatherv in place", p, root,
                 GATHERV(form, source, mine, p->receive, out, m, p->receive, root));
        }
}

static void allgatherv(const struct pair *p)
{
    struct many m = from_all(1);

    for (int form = 0; form < FORMS; form++) {
        int mine = amount(rank, 1), rv;

        fill(form);
        rv = CALL(form, Allgatherv, Iallgatherv,
                  (in, mine, p->send, out, LENT(m.counts), LENT(m.places), p->receive),
                  (in, mine, p->send, out, LENT(m.wide_counts), LENT(m.wide_places), p->receive));
        show("allgatherv", p, form, rv);
        fill(form + 1);
        memcpy(out + m.places[rank] * p->receive_extent, in, (size_t)(mine * p->receive_extent));
        rv = MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, out, m.counts, m.places, p->receive, comm);
        show("allgatherv in place", p, form, rv);
    }
}

static int scatterv_in(int form, const void *from, const struct many *m, const struct pair *p,
                       void *to, int mine, int root)
{
    return CALL(
        form, Scatterv, Iscatterv,
        (from, LENT(m->counts), LENT(m->places), p->send, to, mine, p->receive, root),
        (from, LENT(m->wide_counts), LENT(m->wide_places), p->send, to, mine, p->receive, root));
}

static void scatterv(const struct pair *p)
{
    for (int form = 0; form < FORMS; form++)
        for (int root = 0; root < n; root++) {
            struct many m = to_all();
            int mine = amount(root, rank);

            fill(root);
            show("scatterv", p, root, scatterv_in(form, in, &m, p, out, mine, root));
            fill(root + 1);
            show("scatterv in place", p, root,
                 scatterv_in(form, in, &m, p, rank == root ? MPI_IN_PLACE : out, mine, root));
        }
}

static void alltoallv(const struct pair *p)
{
    struct many s = to_all(), r = from_all(rank);

    for (int form = 0; form < FORMS; form++) {
        int rv;

        fill(form);
        rv = CALL(form, Alltoallv, Ialltoallv,
                  (in, LENT(s.counts), LENT(s.places), p->send, out, LENT(r.counts), LENT(r.places),
                   p->receive),
                  (in, LENT(s.wide_counts), LENT(s.wide_places), p->send, out, LENT(r.wide_counts),
                   LENT(r.wide_places), p->receive));
        show("alltoallv", p, form, rv);
    }
}

/* As many from each as to it, as in place wants it. */
static void alltoallv_in_place(const struct pair *p)
{
    struct many m;

    for (int i = 0; i < n; i++)
        set(&m, i, amount(rank, i) + amount(i, rank) > 4 ? 2 : 1);
    fill(3);
    memcpy(out, in, sizeof out);
    show("alltoallv in place", p, 0,
         MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, out, m.counts, m.places,
                       p->receive, comm));
}

/* Each pair of ranks has a datatype of its own, and none where there is nothing to send;
 * displacements are in bytes. */
static void alltoallw(const struct pair *pairs, int kinds)
{
    MPI_Datatype send[RANKS_MAX], receive[RANKS_MAX];
    struct many s = to_all(), r = from_all(rank);

    for (int i = 0; i < n; i++) {
        const struct pair *to = &pairs[(rank + 2 * i) % kinds];
        const struct pair *from = &pairs[(i + 2 * rank) % kinds];

        send[i] = s.counts[i] > 0 ? to->send : MPI_DATATYPE_NULL;
        receive[i] = r.counts[i] > 0 ? from->receive : MPI_DATATYPE_NULL;
        s.wide_places[i] = s.places[i] = 640 * i;
        r.wide_places[i] = r.places[i] = 640 * (n - 1 - i);
    }
    for (int form = 0; form < FORMS; form++) {
        int rv;

        fill(form);
        rv = CALL(form, Alltoallw, Ialltoallw,
                  (in, LENT(s.counts), LENT(s.places), LENT(send), out, LENT(r.counts),
                   LENT(r.places), LENT(receive)),
                  (in, LENT(s.wide_counts), LENT(s.wide_places), LENT(send), out,
                   LENT(r.wide_counts), LENT(r.wide_places), LENT(receive)));
        show("alltoallw", pairs, form, rv);
    }
}

/* ---- datatypes ---- */

static MPI_Datatype committed(MPI_Datatype type)
{
    MPI_Type_commit(&type);
    return type;
}

static MPI_Datatype spread(void) /* 2 ints with gaps */
{
    MPI_Datatype type, wide;

    MPI_Type_vector(2, 1, 3, MPI_INT, &type);
    MPI_Type_create_resized(type, 0, 5 * sizeof(int), &wide);
    MPI_Type_free(&type);
    return committed(wide);
}

static MPI_Datatype swapped(void) /* 2 ints, the second first */
{
    int lengths[] = {1, 1}, places[] = {1, 0};
    MPI_Datatype type;

    MPI_Type_indexed(2, lengths, places, MPI_INT, &type);
    return committed(type);
}

static MPI_Datatype two_ints(void)
{
    MPI_Datatype type;

    MPI_Type_contiguous(2, MPI_INT, &type);
    return committed(type);
}

static MPI_Datatype mixed(int gap) /* a char and a double */
{
    int lengths[] = {1, 1};
    MPI_Aint places[] = {0, 8 + gap};
    MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE}, type, wide;

    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_create_resized(type, 0, 16 + 2 * gap, &wide);
    MPI_Type_free(&type);
    return committed(wide);
}

enum { PAIRS = 6 };

static void make(struct pair pairs[PAIRS])
{
    pairs[0] = (struct pair){.name = "int", MPI_INT, MPI_INT};
    pairs[1] = (struct pair){.name = "gaps", two_ints(), spread()};
    pairs[2] = (struct pair){.name = "swapped", spread(), swapped()};
    pairs[3] = (struct pair){.name = "mixed", mixed(0), mixed(8)};
    pairs[4] = (struct pair){.name = "double and int", MPI_DOUBLE_INT, MPI_DOUBLE_INT};
    pairs[5] = (struct pair){.name = "byte", MPI_BYTE, MPI_BYTE};
    for (int i = 0; i < PAIRS; i++) {
        MPI_Aint lb, extent;

        MPI_Type_get_extent(pairs[i].send, &lb, &extent);
        pairs[i].send_extent = (int)extent;
        MPI_Type_get_extent(pairs[i].receive, &lb, &extent);
        pairs[i].receive_extent = (int)extent;
    }
}

/* Pairs whose elements are alike, so that ranks that pick others still match: see alltoallw(). */
static void all_calls(struct pair pairs[PAIRS])
{
    struct pair of_ints[] = {pairs[1], pairs[2]};

    for (int i = 0; i < PAIRS; i++) {
        for (int count = 0; count < COUNT_MAX; count += count + 1) {
            gather(&pairs[i], count);
            scatter(&pairs[i], count);
            everybody(&pairs[i], count);
        }
        gatherv(&pairs[i]);
        allgatherv(&pairs[i]);
        scatterv(&pairs[i]);
        alltoallv(&pairs[i]);
        alltoallv_in_place(&pairs[i]);
    }
    alltoallw(of_ints, 2);
}

/* Around the largest that ftcoll takes: 4096 bytes in all, unless set otherwise. */
static void in_each_form(const struct pair *bytes, int in_all, const struct many *m, int mine)
{
    struct many even;

    for (int form = 0; form < FORMS; form++) {
        fill(in_all);
        show("gatherv", bytes, in_all, GATHERV(form, in, mine, MPI_BYTE, out, *m, MPI_BYTE, 0));
        show("scatterv", bytes, in_all,
             CALL(form, Scatterv, Iscatterv,
                  (in, LENT(m->counts), LENT(m->places), MPI_BYTE, out, mine, MPI_BYTE, n - 1),
                  (in, LENT(m->wide_counts), LENT(m->wide_places), MPI_BYTE, out, mine, MPI_BYTE,
                   n - 1)));
        for (int k = 0; k < n; k++) { /* as many to each as from it */
            even.wide_counts[k] = even.counts[k] = in_all / n;
            even.wide_places[k] = even.places[k] = k * (in_all / n);
        }
        fill(in_all + 1);
        show("alltoallv", bytes, in_all,
             CALL(form, Alltoallv, Ialltoallv,
                  (in, LENT(even.counts), LENT(even.places), MPI_BYTE, out, LENT(even.counts),
                   LENT(even.places), MPI_BYTE),
                  (in, LENT(even.wide_counts), LENT(even.wide_places), MPI_BYTE, out,
                   LENT(even.wide_counts), LENT(even.wide_places), MPI_BYTE)));
    }
}

static void sizes(const struct pair *bytes)
{
    static const int in_all[] = {4094, 4095, 4096, 4097, 4098, 8192};

    for (size_t i = 0; i < sizeof in_all / sizeof *in_all; i++) {
        struct many m;
        int count = in_all[i] / n, last = in_all[i] - (n - 1) * count;
        int mine = rank == n - 1 ? last : count;

        for (int k = 0; k < n; k++) {
            m.wide_counts[k] = m.counts[k] = k == n - 1 ? last : count;
            m.wide_places[k] = m.places[k] = k * count;
        }
        fill(in_all[i]);
        show("allgatherv", bytes, in_all[i],
             MPI_Allgatherv(in, mine, MPI_BYTE, out, m.counts, m.places, MPI_BYTE, comm));
        in_each_form(bytes, in_all[i], &m, mine);
        show("allgather", bytes, in_all[i],
             MPI_Allgather(in, count, MPI_BYTE, out, count, MPI_BYTE, comm));
        show("alltoall", bytes, in_all[i],
             MPI_Alltoall(in, count / n, MPI_BYTE, out, count / n, MPI_BYTE, comm));
    }
}

/* MPI says that it is one, but not of which class. */
static int error_or_none(int rv)
{
    return rv == MPI_SUCCESS ? rv : MPI_ERR_TRUNCATE;
}

/* Who has room for less than it is sent has an error; the others have none. */
static void too_little_room(const struct pair *ints)
{
    struct many s, r;

    for (int i = 0; i < n; i++) {
        set(&s, i, 2);
        set(&r, i, rank == 0 && i == 1 ? 1 : 2);
    }
    fill(1);
    show("alltoallv, too little room", ints, 0,
         error_or_none(MPI_Alltoallv(in, s.counts, s.places, MPI_INT, out, r.counts, r.places,
                                     MPI_INT, comm)));
    fill(2);
    show("gatherv, too little room", ints, 0,
         error_or_none(MPI_Gatherv(in, 2, MPI_INT, out, r.counts, r.places, MPI_INT, 0, comm)));
    fill(3);
    show("scatterv, too little room", ints, 0,
         error_or_none(MPI_Scatterv(in, s.counts, s.places, MPI_INT, out, rank == 1 ? 1 : 2,
                                    MPI_INT, 0, comm)));
    fill(4);
    show("allgather after that", ints, 0, MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_INT, comm));
}

/* Only what all ranks see: if one went into the call, it would wait for the others. */
static void wrong_arguments(const struct pair *ints)
{
    fill(5);
    show("no such root", ints, 1, MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, n, comm));
    show("no such root", ints, 2, MPI_Scatter(in, 1, MPI_INT, out, 1, MPI_INT, -3, comm));
    show("no datatype", ints, 3, MPI_Allgather(in, 1, MPI_DATATYPE_NULL, out, 1, MPI_INT, comm));
    show("negative count", ints, 4, MPI_Alltoall(in, -1, MPI_INT, out, 1, MPI_INT, comm));
    show("no buffer", ints, 5, MPI_Allgather(in, 1, MPI_INT, NULL, 1, MPI_INT, comm));
    show("no buffer", ints, 6, MPI_Alltoall(NULL, 1, MPI_INT, out, 1, MPI_INT, comm));
    show("one buffer for both", ints, 7, MPI_Alltoall(out, 1, MPI_INT, out, 1, MPI_INT, comm));
    show("received in place", ints, 8,
         MPI_Allgather(in, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm));
    show("no operation", ints, 9, MPI_Scan(in, out, 1, MPI_INT, MPI_OP_NULL, comm));
    show("allgather after that", ints, 10, MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_INT, comm));
}

static void on(MPI_Comm which, struct pair pairs[PAIRS])
{
    comm = which;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    all_calls(pairs);
}

/* Native MPI has those between two groups. */
static void between_groups(const struct pair *ints)
{
    MPI_Comm half, between;
    int world;

    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_split(MPI_COMM_WORLD, world % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - world % 2, 7, &between);
    fill(5);
    show("allgather between groups", ints, world,
         MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_INT, between));
    show("alltoall between groups", ints, world,
         MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, between));
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    struct pair pairs[PAIRS];
    MPI_Comm backwards;

    output_init(argc, argv, &rank, &n);
    make(pairs);
    on(MPI_COMM_WORLD, pairs);
    sizes(&pairs[5]);
    too_little_room(&pairs[0]);
    wrong_arguments(&pairs[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    on(backwards, pairs);
    MPI_Comm_free(&backwards);
    on(MPI_COMM_SELF, pairs);
    between_groups(&pairs[0]);
    output_close();
    MPI_Finalize();
    return 0;
}
