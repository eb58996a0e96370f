#include "ucx.h"

#include "mpi/inside.h"
#include "system/loaded.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>

/* Version of UCX from which transport posix opens shared memory in /proc. 1.18 ends a process that
 * gets the first message of a peer after the peer's death. It cannot open the peer's shared memory,
 * chooses other transports for the peer, and fails ("endpoint reconfiguration not supported yet").
 * 1.13 does not. */
enum { OPENS_SHARED_MEMORY_BELOW_PROC = 114 };

void *ftc_ucx_find(const char *name)
{
    return ftc_loaded_dlsym(RTLD_NEXT, name);
}

/* Returns whether Hydra reports that the job is on one host. */
static bool is_one_host(void)
{
    const char *local = getenv("MPI_LOCALNRANKS"), *all = getenv("PMI_SIZE");

    return local && all && strcmp(local, all) == 0;
}

/* Returns whether there is shared memory of System V, which UCX prefers to that of POSIX. */
static bool has_other_shared_memory(void)
{
    int id = shmget(IPC_PRIVATE, 1, 0600);

    return id >= 0 && shmctl(id, IPC_RMID, NULL) == 0;
}

/* Excludes tcp along with cma. Without cma, UCX would poll TCP by a system call each time. */
void ftc_ucx_choose_transports(bool copies)
{
    if (!copies && is_one_host())
        setenv("UCX_TLS", "^cma,tcp", 0);
    else if (ftc_inside_ucx() >= OPENS_SHARED_MEMORY_BELOW_PROC && has_other_shared_memory())
        setenv("UCX_TLS", "^posix", 0);
}
