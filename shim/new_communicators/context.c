#include "context.h"

#include "communicator/attribute.h"
#include "program/native_call.h"
#include "value/datatype.h"

#include <errno.h>

enum {
    NUMBERS_MAX = 4096, /* MPICH has half of them */
    SPARE = 8,          /* for callbacks of the program that run meanwhile */
};

static MPI_Comm self = MPI_COMM_NULL; /* this process alone, errors return */
static _Atomic bool any_abandoned;    /* kept of each communicator on which a call was abandoned */

/* Before the program gives MPI_COMM_SELF attributes that would be copied. */
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

/* All that are free; returns how many. */
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

/* The spare ones are lost as well: which of them is the number cannot be told. While another call
 * has all of them MPICH waits here: on_blocked sees the mark. */
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
