/* tool: a profiling tool as mpiP is one: it stands before some functions of MPI, counts their calls
 * and goes on with PMPI_X. With -DASKS it goes on with what dlsym(RTLD_NEXT) finds, as Darshan and
 * EZTrace do. Each process tells its counts in MPI_Finalize. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { INIT, ALLREDUCE, REDUCE, BARRIER, SEND, COUNTS };

static int count[COUNTS], world_rank;

#ifdef ASKS
#include <dlfcn.h>
#include <string.h>

static void ask(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (!found) {
        fprintf(stderr, "tool: no %s\n", name);
        abort();
    }
    memcpy(function, &found, sizeof found);
}

#define NEXT(name)                                                                                 \
    __typeof__(PMPI_##name) *next;                                                                 \
    ask("PMPI_" #name, &next)
#else
#define NEXT(name) __typeof__(PMPI_##name) *next = PMPI_##name
#endif

int MPI_Init(int *argc, char ***argv)
{
    NEXT(Init);
    int rv = next(argc, argv);

    count[INIT]++;
    PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    return rv;
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int n, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm)
{
    NEXT(Allreduce);
    int rv = next(sendbuf, recvbuf, n, datatype, op, comm);

    count[ALLREDUCE]++;
    return rv;
}

int MPI_Reduce(const void *sendbuf, void *recvbuf, int n, MPI_Datatype datatype, MPI_Op op,
               int root, MPI_Comm comm)
{
    NEXT(Reduce);
    int rv = next(sendbuf, recvbuf, n, datatype, op, root, comm);

    count[REDUCE]++;
    return rv;
}

int MPI_Barrier(MPI_Comm comm)
{
    NEXT(Barrier);
    int rv = next(comm);

    count[BARRIER]++;
    return rv;
}

int MPI_Send(const void *buf, int n, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    NEXT(Send);
    int rv = next(buf, n, datatype, dest, tag, comm);

    count[SEND]++;
    return rv;
}

int MPI_Finalize(void)
{
    NEXT(Finalize);
    printf("tool: rank %d: init %d, allreduce %d, reduce %d, barrier %d, send %d\n", world_rank,
           count[INIT], count[ALLREDUCE], count[REDUCE], count[BARRIER], count[SEND]);
    fflush(stdout);
    return next();
}
