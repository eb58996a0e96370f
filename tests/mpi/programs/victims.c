/* victims: a library that is preloaded before the one under test. Ranks of a program that knows of
 * no faults die at random, bound to how far the program has come:
 *
 *     VICTIMS=2 VICTIMS_SEED=7 VICTIMS_FIRST_CALL=100 VICTIMS_CALLS=300 VICTIMS_FROM=1
 *
 * Of the ranks from VICTIMS_FROM (0) on so many as VICTIMS says are killed, each in one of its next
 * VICTIMS_CALLS calls of MPI when it has made VICTIMS_FIRST_CALL (0) of them since MPI_Init, or
 * between that and the call behind; which, the seed draws. A rank that does not come to its call
 * lives. Who dies leaves a file victim.RANK with the number of the call.
 *
 * Survivors bear one death in the middle of a call that makes a communicator (ftcoll-calls(7), NEW
 * COMMUNICATORS AFTER A FAILURE): one victim may die there, and the others in the call behind. */
#include "fault.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static const struct fault death = {.form = FAULT_KILL};
static long calls, last_call = -1; /* the one in which this rank dies */
static int rank, may_die_in_makers;
static uint64_t seed;

static long number_of(const char *name)
{
    const char *value = getenv(name);

    return value ? atol(value) : 0;
}

/* Its place among the ranks that may die: the first of them do. */
static int turn_of(int candidate, int from, int n)
{
    int turn = 0;

    for (int r = from; r < n; r++)
        turn += fault_random(seed + (uint64_t)r) < fault_random(seed + (uint64_t)candidate);
    return turn;
}

static void draw(void)
{
    int n, turn, from = (int)number_of("VICTIMS_FROM");

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &n);
    seed = fault_random((uint64_t)number_of("VICTIMS_SEED"));
    turn = turn_of(rank, from, n);
    may_die_in_makers = turn == 0;
    if (rank >= from && turn < number_of("VICTIMS"))
        last_call =
            number_of("VICTIMS_FIRST_CALL") +
            (long)(fault_random(seed * 3 + (uint64_t)rank) % (uint64_t)number_of("VICTIMS_CALLS"));
}

static void leave_note(void)
{
    char name[32];
    FILE *note;

    snprintf(name, sizeof name, "victim.%d", rank);
    note = fopen(name, "w");
    if (note) {
        fprintf(note, "%ld\n", calls);
        fclose(note);
    }
}

/* A step of the program is a call and what it does until the next. */
static void step(int makes_communicator)
{
    fault_step_end();
    fault_step_begin();
    if (last_call >= 0 && calls >= last_call && (may_die_in_makers || !makes_communicator)) {
        leave_note();
        fault_happen_in_step(&death, seed + (uint64_t)rank);
    }
    calls++;
}

int MPI_Init(int *argc, char ***argv)
{
    int rv = PMPI_Init(argc, argv);

    draw();
    fault_step_begin();
    return rv;
}

int MPI_Finalize(void)
{
    fault_step_end();
    return PMPI_Finalize();
}

#define STEP(name, parameters, arguments, makes_communicator)                                      \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        step(makes_communicator);                                                                  \
        return PMPI_##name arguments;                                                              \
    }

#define CALL(name, parameters, arguments)  STEP(name, parameters, arguments, 0)
#define MAKER(name, parameters, arguments) STEP(name, parameters, arguments, 1)

#define PIECES   const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf
#define PIECES_V const void *sendbuf, const int *sendcounts, const int *senddispls
#define WHAT     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm
#define MESSAGE  int count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm

CALL(Barrier, (MPI_Comm comm), (comm))
CALL(Allreduce, (const void *sendbuf, void *recvbuf, int count, WHAT),
     (sendbuf, recvbuf, count, datatype, op, comm))
CALL(Exscan, (const void *sendbuf, void *recvbuf, int count, WHAT),
     (sendbuf, recvbuf, count, datatype, op, comm))
CALL(Reduce,
     (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
      MPI_Comm comm),
     (sendbuf, recvbuf, count, datatype, op, root, comm))
CALL(Allgather, (PIECES, int recvcount, MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
CALL(Allgatherv,
     (PIECES, const int *recvcounts, const int *recvdispls, MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcounts, recvdispls, recvtype, comm))
CALL(Alltoall, (PIECES, int recvcount, MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
CALL(Alltoallv,
     (PIECES_V, MPI_Datatype sendtype, void *recvbuf, const int *recvcounts, const int *recvdispls,
      MPI_Datatype recvtype, MPI_Comm comm),
     (sendbuf, sendcounts, senddispls, sendtype, recvbuf, recvcounts, recvdispls, recvtype, comm))
MAKER(Comm_dup, (MPI_Comm comm, MPI_Comm *copy), (comm, copy))
MAKER(Cart_create,
      (MPI_Comm comm, int dimensions, const int *dims, const int *periods, int reorder,
       MPI_Comm *grid),
      (comm, dimensions, dims, periods, reorder, grid))
CALL(Send, (const void *buf, MESSAGE), (buf, count, datatype, peer, tag, comm))
CALL(Recv, (void *buf, MESSAGE, MPI_Status *status),
     (buf, count, datatype, peer, tag, comm, status))
CALL(Isend, (const void *buf, MESSAGE, MPI_Request *request),
     (buf, count, datatype, peer, tag, comm, request))
CALL(Irecv, (void *buf, MESSAGE, MPI_Request *request),
     (buf, count, datatype, peer, tag, comm, request))
CALL(Waitall, (int count, MPI_Request *requests, MPI_Status *statuses), (count, requests, statuses))
MAKER(File_open, (MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file),
      (comm, name, mode, info, file))
CALL(File_write_at_all,
     (MPI_File file, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype,
      MPI_Status *status),
     (file, offset, buf, count, datatype, status))
CALL(File_close, (MPI_File * file), (file))
