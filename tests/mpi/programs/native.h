/* native: what the MPI library under the one under test cannot do; it is asked, where that is
 * possible, while all ranks live. Met with MPICH 5.0.2, and with other devices than ch4:ucx. */
#ifndef FTC_TESTS_NATIVE_H
#define FTC_TESTS_NATIVE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether MPICH's device is @name. May be called at any time. */
static inline bool native_device_is(const char *name)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    PMPI_Get_library_version(text, &length);
    return strstr(text, name) != NULL;
}

/* NULL, or why a call that waits for a dead rank cannot be left. */
static inline const char *native_cannot_be_left(void)
{
    int level;

    PMPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE && native_device_is("ch3:nemesis")
               ? "with threads no call can be left with this device of MPICH's"
               : NULL;
}

/* NULL, or why there are no messages in partitions. */
static inline const char *native_has_no_partitions(void)
{
    return native_device_is("ch3:nemesis") ? "this device of MPICH's has no messages in partitions"
                                           : NULL;
}

/* Ends the program, of which @reason says why nothing is tested here, if there is one. Collective.
 */
static inline void native_skip(const char *reason)
{
    int rank;

    if (!reason)
        return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("skipped: %s\n", reason);
    MPI_Finalize();
    exit(0);
}

/* Whether the ranks of MPI_COMM_WORLD, which are on one host, are told that they share memory.
 * Collective. */
static inline bool native_shares_memory(void)
{
    MPI_Comm comm;
    int size, all;

    PMPI_Comm_size(MPI_COMM_WORLD, &all);
    PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    PMPI_Comm_size(comm, &size);
    PMPI_Comm_free(&comm);
    return size == all;
}

/* Whether a call returns its error when a handler of the program's has been called. */
static inline bool native_returns_errors(void)
{
    return PMPI_Send(NULL, 0, MPI_INT, -4711, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
}

/* Whether MPI_Comm_free() of a communicator with a dead member deletes its attributes: the library
 * keeps those that later versions would not come back from. */
static inline bool native_deletes_attributes_of_dead(void)
{
    return MPICH_NUMVERSION < 40200000;
}

/* Whether the job outlives a call with MPI_DATATYPE_NULL whose errors are returned. */
static inline bool native_refuses_no_datatype(void)
{
    return MPICH_NUMVERSION < 50000000;
}

#endif
