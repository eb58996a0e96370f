/* partitioned: messages in partitions (MPI 4.0, chapter 4). Their requests are persistent ones that
 * cannot be cancelled, nor freed while native MPI is at work on them. And persistent requests of
 * collective calls of native MPI, as far as tests of several requests are concerned. */
#ifndef FTC_P2P_PARTITIONED_H
#define FTC_P2P_PARTITIONED_H

#include "p2p.h"

/* As ftc_p2p_note(). */
int ftc_partitioned_note(const struct ftc_p2p_call *call, const MPI_Request *request, int rv);

/* Notes the persistent request of a collective call that native MPI has made, if @rv is
 * MPI_SUCCESS; returns @rv. */
int ftc_partitioned_note_collective(const MPI_Request *request, int rv);

/* Forgets such a request, which is freed; nothing happens if it is another. */
void ftc_partitioned_forget_collective(MPI_Request request);

/* Whether the receiver of the partitions is dead: native MPI is to hear of none. The request may be
 * over, and a thread that has one ready not know it yet. */
bool ftc_partitioned_is_in_vain(MPI_Request request);

/* PMPI_Testall(), or with @keeps PMPI_Request_get_status_all(), of requests of any kind. MPICH 4.0
 * itself takes each partitioned message and each persistent collective call that has ended for an
 * error. */
int ftc_partitioned_test_all(int count, MPI_Request requests[], bool keeps, int *flag,
                             MPI_Status statuses[]);

#endif
