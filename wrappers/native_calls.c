/* Calls that native MPI carries out, marked on the board while they last. */
#include "entries.h"
#include "program/native_call.h"

/* Defines int MPI_Name(parameters), which needs all members of @comm. */
#define NATIVE(kind, name, parameters, arguments, comm)                                            \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        return FTC_NATIVE_CALL(FTC_CALL_##kind, comm, FTC_ALL_MEMBERS,                             \
                               __builtin_return_address(0), PMPI_##name arguments);                \
    }

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
