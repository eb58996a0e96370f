/* Calls that native MPI carries out, marked on the board while they last. */
#include "communicator/lineage.h"
#include "entries.h"
#include "program/native_call.h"

/* int MPI_Name(parameters), which needs all members of @comm */
#define NATIVE(kind, name, parameters, arguments, comm)                                            \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        return FTC_NATIVE_CALL(FTC_CALL_##kind, comm, FTC_ALL_MEMBERS,                             \
                               __builtin_return_address(0), PMPI_##name arguments);                \
    }

/* Likewise, and makes *@made. */
#define CREATION(kind, name, parameters, arguments, comm, made)                                    \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        return ftc_lineage_from(comm, made,                                                        \
                                FTC_NATIVE_CALL(FTC_CALL_##kind, comm, FTC_ALL_MEMBERS,            \
                                                __builtin_return_address(0),                       \
                                                PMPI_##name arguments));                           \
    }

/* Communicators, beside those of communicators.c */
CREATION(CART_CREATE, Cart_create,
         (MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder,
          MPI_Comm *comm_cart),
         (comm_old, ndims, dims, periods, reorder, comm_cart), comm_old, comm_cart)
CREATION(CART_SUB, Cart_sub, (MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm),
         (comm, remain_dims, newcomm), comm, newcomm)
CREATION(GRAPH_CREATE, Graph_create,
         (MPI_Comm comm_old, int nnodes, const int indx[], const int edges[], int reorder,
          MPI_Comm *comm_graph),
         (comm_old, nnodes, indx, edges, reorder, comm_graph), comm_old, comm_graph)
CREATION(DIST_GRAPH_CREATE, Dist_graph_create,
         (MPI_Comm comm_old, int n, const int sources[], const int degrees[],
          const int destinations[], const int weights[], MPI_Info info, int reorder,
          MPI_Comm *comm_dist_graph),
         (comm_old, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph),
         comm_old, comm_dist_graph)
CREATION(DIST_GRAPH_CREATE_ADJACENT, Dist_graph_create_adjacent,
         (MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[],
          int outdegree, const int destinations[], const int destweights[], MPI_Info info,
          int reorder, MPI_Comm *comm_dist_graph),
         (comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info,
          reorder, comm_dist_graph),
         comm_old, comm_dist_graph)
int MPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                         int remote_leader, int tag, MPI_Comm *newintercomm)
{
    ftc_native_call_enter_leaders(local_comm, local_leader, peer_comm, remote_leader,
                                  __builtin_return_address(0));
    return ftc_native_call_leave_with(PMPI_Intercomm_create(local_comm, local_leader, peer_comm,
                                                            remote_leader, tag, newintercomm));
}

NATIVE(INTERCOMM_MERGE, Intercomm_merge, (MPI_Comm intercomm, int high, MPI_Comm *newintracomm),
       (intercomm, high, newintracomm), intercomm)
NATIVE(COMM_ACCEPT, Comm_accept,
       (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm),
       (port_name, info, root, comm, newcomm), comm)
NATIVE(COMM_CONNECT, Comm_connect,
       (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm),
       (port_name, info, root, comm, newcomm), comm)
NATIVE(COMM_SPAWN, Comm_spawn,
       (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
        MPI_Comm *intercomm, int array_of_errcodes[]),
       (command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes), comm)
NATIVE(COMM_SPAWN_MULTIPLE, Comm_spawn_multiple,
       (int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[],
        const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm *intercomm,
        int array_of_errcodes[]),
       (count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm,
        intercomm, array_of_errcodes),
       comm)
