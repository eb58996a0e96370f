#include "context.h"

#include "value/datatype.h"

#include <errno.h>
#include <stddef.h>

enum {
    NUMBERS_MAX = 4096, /* MPICH has half of them */
    SPARE = 8,          /* for callbacks of the program that run meanwhile */
};

static int keyval = MPI_KEYVAL_INVALID; /* of communicators on which a call was left */
static MPI_Comm self = MPI_COMM_NULL;   /* this process alone, errors return */
static bool any_abandoned;

/* Before the program gives MPI_COMM_SELF attributes that would be copied. */
int ftc_context_open(void)
{
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL) ==
                       MPI_SUCCESS &&
                   PMPI_Comm_dup(MPI_COMM_SELF, &self) == MPI_SUCCESS &&
                   PMPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN) == MPI_SUCCESS
               ? 0
               : -EINVAL;
}

void ftc_context_abandon(MPI_Comm comm)
{
    any_abandoned = true;
    PMPI_Comm_set_attr(comm, keyval, NULL);
}

bool ftc_context_is_abandoned(const MPI_Comm *comm)
{
    int found = 0;
    void *unused;

    return any_abandoned && comm && ftc_is_comm(*comm) &&
           PMPI_Comm_get_attr(*comm, keyval, &unused, &found) == MPI_SUCCESS && found;
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

/* The spare ones are lost as well: which of them is the number cannot be told. */
int ftc_context_retire(MPI_Comm *comm, int (*native)(MPI_Comm *comm))
{
    static MPI_Comm taken[NUMBERS_MAX], kept[NUMBERS_MAX];
    int count = take_all(taken), spare = count < SPARE ? count : SPARE, rv;

    give_back(taken + count - spare, spare);
    rv = native(comm);
    take_all(kept);
    give_back(taken, count - spare);
    return rv;
}
