/* partitioned: messages in partitions (MPI 4.0, chapter 4). Their requests are persistent ones that
 * cannot be cancelled, nor freed while native MPI is at work on them. */
#ifndef FTC_P2P_PARTITIONED_H
#define FTC_P2P_PARTITIONED_H

#include "p2p.h"

/* As ftc_p2p_note(). */
int ftc_partitioned_note(const struct ftc_p2p_call *call, const MPI_Request *request, int rv);

/* Whether the receiver of the partitions is dead: native MPI is to hear of none. The request may be
 * over, and a thread that has one ready not know it yet. */
bool ftc_partitioned_is_in_vain(MPI_Request request);

/* PMPI_Testall(), or with @keeps PMPI_Request_get_status_all(), of requests of any kind: of
 * partitioned ones MPICH 4.0 takes each that has ended for an error. */
int ftc_partitioned_test_all(int count, MPI_Request requests[], bool keeps, int *flag,
                             MPI_Status statuses[]);

#endif
