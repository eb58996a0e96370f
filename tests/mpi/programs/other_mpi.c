/* other_mpi: a library of as much of another MPI as other.c needs: its handles are pointers, and it
 * ends the program if they do not arrive whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "other_mpi.h"

#ifndef NAME
#define NAME "Open MPI v4.1.4, package: a test, ident: 4.1.4"
#endif

struct handle ompi_mpi_comm_world = {"world"}, ompi_mpi_int = {"int"}, ompi_mpi_op_sum = {"sum"};

#define WEAK(name) __attribute__((weak, alias("P" #name)))

static void expect(const struct handle *handle, const struct handle *expected)
{
    if (handle != expected) {
        fprintf(stderr, "other_mpi: handle %p is not %p\n", (const void *)handle,
                (const void *)expected);
        exit(4);
    }
}

int PMPI_Init(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return 0;
}

int PMPI_Get_library_version(char *version, int *length)
{
    strcpy(version, NAME);
    *length = (int)strlen(version);
    return 0;
}

int PMPI_Allreduce(const void *sendbuf, void *recvbuf, int count, struct handle *datatype,
                   struct handle *op, struct handle *comm)
{
    expect(datatype, &ompi_mpi_int);
    expect(op, &ompi_mpi_op_sum);
    expect(comm, &ompi_mpi_comm_world);
    memcpy(recvbuf, sendbuf, (size_t)count * sizeof(int));
    return 0;
}

int PMPI_Finalize(void)
{
    return 0;
}

int MPI_Init(int *argc, char ***argv) WEAK(MPI_Init);
int MPI_Get_library_version(char *version, int *length) WEAK(MPI_Get_library_version);
int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, struct handle *datatype,
                  struct handle *op, struct handle *comm) WEAK(MPI_Allreduce);
int MPI_Finalize(void) WEAK(MPI_Finalize);
