/* other_mpi: the header of other_mpi.c. */
#ifndef OTHER_MPI_H
#define OTHER_MPI_H

struct handle {
    const char *name;
};

extern struct handle ompi_mpi_comm_world, ompi_mpi_int, ompi_mpi_op_sum;

int PMPI_Init(int *argc, char ***argv);
int PMPI_Get_library_version(char *version, int *length);
int PMPI_Allreduce(const void *sendbuf, void *recvbuf, int count, struct handle *datatype,
                   struct handle *op, struct handle *comm);
int PMPI_Finalize(void);
int MPI_Init(int *argc, char ***argv);
int MPI_Get_library_version(char *version, int *length);
int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, struct handle *datatype,
                  struct handle *op, struct handle *comm);
int MPI_Finalize(void);

#endif
