#include "neighbor_order.h"

#include "program/native_call.h"

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

enum order { UNKNOWN, LAST_FIRST, FIRST_FIRST };
static _Atomic unsigned char order_of[FTC_CALL_COUNT];

/* While another call has all context ids, MPICH waits here: on_blocked sees the mark. */
void ftc_neighbor_order_learn(const struct ftc_call *call)
{
    enum ftc_call_kind plain = ftc_call_plain(call->kind);

    if (order_of[plain] != UNKNOWN)
        return;
    ftc_native_call_mark(call->kind, call->comm, FTC_SOME_MEMBER, call->return_address);
    order_of[plain] = ask_for_order(plain) ? LAST_FIRST : FIRST_FIRST;
    ftc_native_call_leave();
}

int ftc_neighbor_order_before(enum ftc_call_kind kind, const struct ftc_neighbors *n, int index)
{
    int before = 0, behind = 0;

    for (int i = 0; i < n->sources; i++) {
        before += i < index && n->source[i] == n->source[index];
        behind += i > index && n->source[i] == n->source[index];
    }
    if (before + behind == 0)
        return 0;
    return order_of[ftc_call_plain(kind)] == LAST_FIRST ? behind : before;
}
