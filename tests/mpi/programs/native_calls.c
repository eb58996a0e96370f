/* native_calls: a library that is preloaded behind ftcoll, and tells which native collective calls
 * each rank has made by the end of MPI_Init, with others than itself. It stands before the PMPI_
 * functions, and has an MPI_Init of its own, so that it looks like the MPI library that the program
 * is linked with. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char names[256];
static int count;

static void note(MPI_Comm comm, const char *name)
{
    int size = 0;

    PMPI_Comm_size(comm, &size);
    if (size < 2)
        return;
    count++;
    snprintf(names + strlen(names), sizeof names - strlen(names), " %s", name);
}

__attribute__((destructor)) static void tell(void)
{
    if (getenv("PMI_RANK") && count > 0)
        printf("native calls of rank %s: %d:%s\n", getenv("PMI_RANK"), count, names);
}

/* The function itself goes by another name here: this one is not to call itself. */
#define COLLECTIVE(name, parameters, arguments, comm)                                              \
    int PMPI_##name parameters                                                                     \
    {                                                                                              \
        static int(*next) parameters;                                                              \
        void *found = dlsym(RTLD_NEXT, "PMPI_" #name);                                             \
                                                                                                   \
        memcpy(&next, &found, sizeof next);                                                        \
        note(comm, "MPI_" #name);                                                                  \
        return next arguments;                                                                     \
    }

#define BUFFERS const void *s, void *r, int n, MPI_Datatype t

COLLECTIVE(Barrier, (MPI_Comm c), (c), c)
COLLECTIVE(Ibarrier, (MPI_Comm c, MPI_Request *q), (c, q), c)
COLLECTIVE(Bcast, (void *b, int n, MPI_Datatype t, int root, MPI_Comm c), (b, n, t, root, c), c)
COLLECTIVE(Ibcast, (void *b, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request *q),
           (b, n, t, root, c, q), c)
COLLECTIVE(Reduce, (BUFFERS, MPI_Op op, int root, MPI_Comm c), (s, r, n, t, op, root, c), c)
COLLECTIVE(Ireduce, (BUFFERS, MPI_Op op, int root, MPI_Comm c, MPI_Request *q),
           (s, r, n, t, op, root, c, q), c)
COLLECTIVE(Allreduce, (BUFFERS, MPI_Op op, MPI_Comm c), (s, r, n, t, op, c), c)
COLLECTIVE(Iallreduce, (BUFFERS, MPI_Op op, MPI_Comm c, MPI_Request *q), (s, r, n, t, op, c, q), c)
COLLECTIVE(Gather,
           (const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, int root,
            MPI_Comm c),
           (s, n, t, r, m, u, root, c), c)
COLLECTIVE(Allgather,
           (const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, MPI_Comm c),
           (s, n, t, r, m, u, c), c)
COLLECTIVE(Iallgather,
           (const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, MPI_Comm c,
            MPI_Request *q),
           (s, n, t, r, m, u, c, q), c)
COLLECTIVE(Comm_dup, (MPI_Comm c, MPI_Comm *made), (c, made), c)
COLLECTIVE(Comm_idup, (MPI_Comm c, MPI_Comm *made, MPI_Request *q), (c, made, q), c)
COLLECTIVE(Comm_dup_with_info, (MPI_Comm c, MPI_Info i, MPI_Comm *made), (c, i, made), c)
COLLECTIVE(Comm_create, (MPI_Comm c, MPI_Group g, MPI_Comm *made), (c, g, made), c)
COLLECTIVE(Comm_create_group, (MPI_Comm c, MPI_Group g, int tag, MPI_Comm *made), (c, g, tag, made),
           c)
COLLECTIVE(Comm_split, (MPI_Comm c, int color, int key, MPI_Comm *made), (c, color, key, made), c)
COLLECTIVE(Comm_split_type, (MPI_Comm c, int type, int key, MPI_Info i, MPI_Comm *made),
           (c, type, key, i, made), c)

int MPI_Init(int *argc, char ***argv)
{
    return PMPI_Init(argc, argv);
}
