#include "context.h"

#include "communicator/attribute.h"
#include "program/native_call.h"
#include "value/datatype.h"

#include <errno.h>

enum {
    NUMBERS_MAX = 4096, /* largest number of ids; MPICH has half as many */
    SPARE = 8,          /* ids left for callbacks of the program that run meanwhile */
};

static MPI_Comm self = MPI_COMM_NULL; /* communicator of this process alone; its errors return */
static _Atomic bool any_abandoned;    /* data of communicators with an ended or abandoned call */

/* Duplicates MPI_COMM_SELF before the program gives it attributes, which would be copied. */
int ftc_context_open(void)
{
    return PMPI_Comm_dup(MPI_COMM_SELF, &self) == MPI_SUCCESS &&
                   PMPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN) == MPI_SUCCESS
               ? 0
               : -EINVAL;
}

void ftc_context_abandon(MPI_Comm comm)
{
    any_abandoned = true;
    ftc_attribute_keep(comm, FTC_SECTION_CONTEXT, &any_abandoned);
}

bool ftc_context_is_abandoned(const MPI_Comm *comm)
{
    return any_abandoned && comm && ftc_is_comm(*comm) &&
           ftc_attribute_get(*comm, FTC_SECTION_CONTEXT);
}

/* Takes all free ids. Returns their number. */
static int take_all(MPI_Comm *taken)
{
    int count = 0;

    while (count < NUMBERS_MAX && PMPI_Comm_dup(self, &taken[count]) == MPI_SUCCESS)
        count++;
    return count;
}

static void give_back(MPI_Comm *taken, int count)
{
    while (count > 0)
        PMPI_Comm_free(&taken[--count]);
}

/* Keeps the spare ids as well, because MPI does not report which of them is the communicator's.
 * While another call holds all ids, MPICH waits here; the mark lets on_blocked see that. */
int ftc_context_retire(MPI_Comm *comm, int (*native)(MPI_Comm *comm), const void *return_address)
{
    static MPI_Comm taken[NUMBERS_MAX], kept[NUMBERS_MAX];
    int count, spare, rv;

    ftc_native_call_mark(FTC_CALL_COMM_FREE, *comm, FTC_ALL_MEMBERS, return_address);
    count = take_all(taken);
    spare = count < SPARE ? count : SPARE;
    give_back(taken + count - spare, spare);
    rv = native(comm);
    take_all(kept);
    give_back(taken, count - spare);
    ftc_native_call_leave();
    return rv;
}
