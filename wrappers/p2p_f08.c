/* The point-to-point calls of mpi_f08 without a choice buffer, which do not go through the C
 * symbols. Handles are derived types with one integer, a status is the C one; an absent ierror is
 * null, and indices count from one. */
#include <mpi.h>
#include <stdlib.h>

/* Fortran's MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE, if the program has them. */
#pragma weak MPIR_F08_MPI_STATUS_IGNORE_OBJ
#pragma weak MPIR_F08_MPI_STATUSES_IGNORE_OBJ

static MPI_Status *one(MPI_Status *status)
{
    return (void *)status == (void *)&MPIR_F08_MPI_STATUS_IGNORE_OBJ ? MPI_STATUS_IGNORE : status;
}

static MPI_Status *many(MPI_Status *statuses)
{
    return (void *)statuses == (void *)MPIR_F08_MPI_STATUSES_IGNORE_OBJ ? MPI_STATUSES_IGNORE
                                                                        : statuses;
}

static void end(MPI_Fint *ierror, int rv)
{
    if (ierror)
        *ierror = rv;
}

static void count_from_one(int *index)
{
    if (*index != MPI_UNDEFINED)
        ++*index;
}

/* void mpi_name_f08_(parameters, ierror), which is MPI_Name(arguments) */
#define F08(name, parameters, c_call)                                                              \
    void mpi_##name##_f08_ parameters;                                                             \
    void mpi_##name##_f08_ parameters                                                              \
    {                                                                                              \
        end(ierror, c_call);                                                                       \
    }

F08(probe,
    (const int *source, const int *tag, const MPI_Fint *comm, MPI_Status *status, MPI_Fint *ierror),
    MPI_Probe(*source, *tag, PMPI_Comm_f2c(*comm), one(status)))
F08(iprobe,
    (const int *source, const int *tag, const MPI_Fint *comm, int *flag, MPI_Status *status,
     MPI_Fint *ierror),
    MPI_Iprobe(*source, *tag, PMPI_Comm_f2c(*comm), flag, one(status)))
F08(mprobe,
    (const int *source, const int *tag, const MPI_Fint *comm, MPI_Message *message,
     MPI_Status *status, MPI_Fint *ierror),
    MPI_Mprobe(*source, *tag, PMPI_Comm_f2c(*comm), message, one(status)))
F08(improbe,
    (const int *source, const int *tag, const MPI_Fint *comm, int *flag, MPI_Message *message,
     MPI_Status *status, MPI_Fint *ierror),
    MPI_Improbe(*source, *tag, PMPI_Comm_f2c(*comm), flag, message, one(status)))

F08(start, (MPI_Request * request, MPI_Fint *ierror), MPI_Start(request))
F08(startall, (const int *count, MPI_Request requests[], MPI_Fint *ierror),
    MPI_Startall(*count, requests))
F08(request_free, (MPI_Request * request, MPI_Fint *ierror), MPI_Request_free(request))
F08(cancel, (const MPI_Request *request, MPI_Fint *ierror), MPI_Cancel(&(MPI_Request){*request}))
F08(request_get_status,
    (const MPI_Request *request, int *flag, MPI_Status *status, MPI_Fint *ierror),
    MPI_Request_get_status(*request, flag, one(status)))

F08(wait, (MPI_Request * request, MPI_Status *status, MPI_Fint *ierror),
    MPI_Wait(request, one(status)))
F08(test, (MPI_Request * request, int *flag, MPI_Status *status, MPI_Fint *ierror),
    MPI_Test(request, flag, one(status)))
F08(waitall, (const int *count, MPI_Request requests[], MPI_Status statuses[], MPI_Fint *ierror),
    MPI_Waitall(*count, requests, many(statuses)))
F08(testall,
    (const int *count, MPI_Request requests[], int *flag, MPI_Status statuses[], MPI_Fint *ierror),
    MPI_Testall(*count, requests, flag, many(statuses)))

void mpi_waitany_f08_(const int *count, MPI_Request requests[], int *index, MPI_Status *status,
                      MPI_Fint *ierror);
void mpi_testany_f08_(const int *count, MPI_Request requests[], int *index, int *flag,
                      MPI_Status *status, MPI_Fint *ierror);
void mpi_waitsome_f08_(const int *count, MPI_Request requests[], int *done, int indices[],
                       MPI_Status statuses[], MPI_Fint *ierror);
void mpi_testsome_f08_(const int *count, MPI_Request requests[], int *done, int indices[],
                       MPI_Status statuses[], MPI_Fint *ierror);

void mpi_waitany_f08_(const int *count, MPI_Request requests[], int *index, MPI_Status *status,
                      MPI_Fint *ierror)
{
    end(ierror, MPI_Waitany(*count, requests, index, one(status)));
    count_from_one(index);
}

void mpi_testany_f08_(const int *count, MPI_Request requests[], int *index, int *flag,
                      MPI_Status *status, MPI_Fint *ierror)
{
    *index = MPI_UNDEFINED;
    end(ierror, MPI_Testany(*count, requests, index, flag, one(status)));
    count_from_one(index);
}

static void end_some(int done, int indices[], MPI_Fint *ierror, int rv)
{
    for (int i = 0; done != MPI_UNDEFINED && i < done; i++)
        count_from_one(&indices[i]);
    end(ierror, rv);
}

void mpi_waitsome_f08_(const int *count, MPI_Request requests[], int *done, int indices[],
                       MPI_Status statuses[], MPI_Fint *ierror)
{
    int rv = MPI_Waitsome(*count, requests, done, indices, many(statuses));

    end_some(*done, indices, ierror, rv);
}

void mpi_testsome_f08_(const int *count, MPI_Request requests[], int *done, int indices[],
                       MPI_Status statuses[], MPI_Fint *ierror)
{
    int rv = MPI_Testsome(*count, requests, done, indices, many(statuses));

    end_some(*done, indices, ierror, rv);
}
