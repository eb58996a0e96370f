/* partitioned: messages in partitions (MPI 4.0, chapter 4). Their requests are persistent, cannot
 * be cancelled, and cannot be freed while native MPI uses them. Also persistent requests of native
 * collective calls, as far as tests of several requests are concerned. */
#ifndef FTC_P2P_PARTITIONED_H
#define FTC_P2P_PARTITIONED_H

#include "p2p.h"

/* Notes the request of a message in partitions, as ftc_p2p_note() does. Returns @rv. */
int ftc_partitioned_note(const struct ftc_p2p_call *call, const MPI_Request *request, int rv);

/* Notes the persistent request of a collective call that native MPI has made, if @rv is
 * MPI_SUCCESS. Returns @rv. */
int ftc_partitioned_note_collective(const MPI_Request *request, int rv);

/* Forgets such a request, which the program frees. No effect for any other request. */
void ftc_partitioned_forget_collective(MPI_Request request);

/* Returns whether the receiver of the partitions is dead. Native MPI must then get no more
 * partitions: the request may be over, and a thread with a partition that is ready may not know
 * that yet. */
bool ftc_partitioned_is_in_vain(MPI_Request request);

/* Tests requests of any kind, as PMPI_Testall() or with @keeps as PMPI_Request_get_status_all().
 * Tests some of them alone, because MPICH 4.0 itself reports an error for each partitioned message
 * and each persistent collective call that has ended. */
int ftc_partitioned_test_all(int count, MPI_Request requests[], bool keeps, int *flag,
                             MPI_Status statuses[]);

#endif
