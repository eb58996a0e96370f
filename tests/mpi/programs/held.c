/* held: a library that is preloaded before the one under test. Rank HELD stands still before it
 * sends for the third time, until it is killed: however fast the others are, the job waits for what
 * it has not sent. */
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    static int sends;
    const char *held = getenv("HELD"), *rank = getenv("PMI_RANK");
    union {
        void *address;
        int (*call)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
    } next = {dlsym(RTLD_NEXT, "MPI_Send")};

    if (held && rank && strcmp(held, rank) == 0 && ++sends == 3)
        raise(SIGSTOP);
    return next.call(buf, count, datatype, dest, tag, comm);
}
