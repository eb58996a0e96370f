/* hosts: how the ranks of a job on several hosts learn in MPI_Init (meeting.h) which ranks share a
 * host, and where each rank can be reached. */
#ifndef FTC_LIFECYCLE_HOSTS_H
#define FTC_LIFECYCLE_HOSTS_H

#include "board/directory.h"
#include "mpi/mpi_library.h"

#include <stdbool.h>

/* Data that the ranks of a host need to open its board. */
struct ftc_board_address {
    int pid, fd; /* of the rank that made it; pid 0: there is no board */
    uint64_t key[2];
};

/* Asks the launcher which ranks share a host. Returns the number of hosts; 0 if the launcher does
 * not say. Called by one rank; the others get the answer by ftc_hosts_hear(). */
int ftc_hosts_by_launcher(void);

/* As above, but asks MPICH, by native collectives. Called by all ranks. */
int ftc_hosts_by_mpich(void);

/* Broadcasts from rank 0 which ranks share a host. Called by all ranks of a job on several hosts.
 * @await waits for a request. */
void ftc_hosts_hear(void (*await)(MPI_Request *request));

/* Returns whether this rank is the first of its host, which makes the board there. On several hosts
 * to be called after ftc_hosts_hear(). */
bool ftc_hosts_is_first(void);

/* Returns the number of this rank's host. To be called after ftc_hosts_hear(). */
uint32_t ftc_hosts_own(void);

/* Opens the listeners of this rank, and exchanges with all ranks where each can be reached and the
 * addresses of the boards. @board: the board that this rank has made, if it is the first of its
 * host. Returns the address of this host's board. Called by all ranks. */
struct ftc_board_address ftc_hosts_meet(const struct ftc_board_address *board,
                                        void (*await)(MPI_Request *request));

/* Enters all hosts and ranks in the board that this rank has made. @key: of the connections between
 * hosts. */
void ftc_hosts_enter(struct ftc_board *board, const uint64_t key[2]);

/* Returns whether the cores that this rank may use are fewer than the ranks that may use them.
 * Counts ranks of all hosts: containers on one machine count as hosts, but each may use all cores
 * of the machine. */
bool ftc_hosts_share_cores(void);

/* Returns whether all ranks are on one machine, on one host or in several containers. All ranks get
 * the same answer. */
bool ftc_hosts_are_one_machine(void);

/* Returns the listening socket for links of other ranks; negative if there is none, as on one host.
 */
int ftc_hosts_link_listener(void);

/* Returns the listening socket for the monitor process; negative if there is none, as on one host.
 */
int ftc_hosts_query_listener(void);

#endif
