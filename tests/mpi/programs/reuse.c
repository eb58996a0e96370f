/* reuse: what a call of native MPI that was left has left behind must never meet another message.
 *
 *     reuse SENDS
 *
 * The rank in the middle dies in a split, before its SENDS-th message there. The others get a
 * communicator without it, free the old one, make new ones, and use them in native calls: messages
 * that are not theirs would be wrong values there, errors, or hangs. Attributes of the old one are
 * deleted when it is freed. */
#include "native.h"
#include "sends.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 12, RANKS_MAX = 16 };

static int deleted, wrong;

static int note_deletion(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)value;
    (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

/* Natively they stay for as long as a message is pending, and from MPICH 4.2 on what was left in
 * the call counts. With threads the communicator stays as it is. */
static int attributes_are_gone(void)
{
    int level;

    MPI_Query_thread(&level);
    return deleted == 1 ||
           (deleted == 0 && (MPICH_NUMVERSION >= 40200000 || level == MPI_THREAD_MULTIPLE));
}

static void exchange(MPI_Comm comm, int round)
{
    int rank, size, mine, all[RANKS_MAX] = {0};

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    mine = 100 * round + rank;
    MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, comm);
    for (int i = 0; i < size; i++)
        wrong += all[i] != 100 * round + i;
    MPI_Barrier(comm);
    MPI_Bcast(&mine, 1, MPI_INT, size - 1, comm);
    wrong += mine != 100 * round + size - 1;
}

int main(int argc, char **argv)
{
    MPI_Comm parent, all, part, made[ROUNDS];
    int rank, n, size, keyval, one = 1, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    native_skip(sends_are_not_counted());
    MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_deletion, &keyval, NULL);
    MPI_Comm_set_attr(parent, keyval, NULL);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == n / 2)
        sends_left = atoi(argv[1]);
    MPI_Comm_split(parent, 0, 0, &all);
    if (rank == n / 2)
        raise(SIGKILL); /* fewer messages than that */
    MPI_Comm_size(all, &size);
    if (size == n) /* it has died after the others had come through */
        MPI_Comm_split(parent, 0, 0, &all);
    MPI_Comm_free(&parent);
    wrong += !attributes_are_gone() || parent != MPI_COMM_NULL;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm_dup(all, &made[i]);
        exchange(made[i], i);
        MPI_Comm_split(made[i], rank % 2, 0, &part);
        exchange(part, i);
        MPI_Comm_free(&part);
    }
    printf("reuse: rank %d: %d wrong\n", rank, wrong);
    MPI_Finalize();
    return wrong > 0;
}
