/* later_mpi: functions of MPI 4.1, which MPICH declares in <mpi.h> from 4.2 on.
 *
 * MPICH's declarations take requests that are not const, while the standard's take const ones. The
 * functions therefore have other names here, whatever the header declares. Only their symbols are
 * MPI's (mpi_library.h, wrappers/entries.h). */
#ifndef FTC_MPI_LATER_MPI_H
#define FTC_MPI_LATER_MPI_H

#include <mpi.h>

#define MPI_Request_get_status_all   ftc_later_MPI_Request_get_status_all
#define MPI_Request_get_status_any   ftc_later_MPI_Request_get_status_any
#define MPI_Request_get_status_some  ftc_later_MPI_Request_get_status_some
#define PMPI_Request_get_status_all  ftc_later_PMPI_Request_get_status_all
#define PMPI_Request_get_status_any  ftc_later_PMPI_Request_get_status_any
#define PMPI_Request_get_status_some ftc_later_PMPI_Request_get_status_some

int MPI_Request_get_status_all(int count, const MPI_Request requests[], int *flag,
                               MPI_Status statuses[]);
int MPI_Request_get_status_any(int count, const MPI_Request requests[], int *index, int *flag,
                               MPI_Status *status);
int MPI_Request_get_status_some(int count, const MPI_Request requests[], int *done, int indices[],
                                MPI_Status statuses[]);
extern __typeof__(MPI_Request_get_status_all) PMPI_Request_get_status_all;
extern __typeof__(MPI_Request_get_status_any) PMPI_Request_get_status_any;
extern __typeof__(MPI_Request_get_status_some) PMPI_Request_get_status_some;

#endif
