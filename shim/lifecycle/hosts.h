/* hosts: how the ranks of a job on several hosts learn where the others are, in MPI_Init
 * (meeting.h): which of them share a host, and where each can be reached. */
#ifndef FTC_LIFECYCLE_HOSTS_H
#define FTC_LIFECYCLE_HOSTS_H

#include "board/directory.h"
#include "mpi/mpi_library.h"

#include <stdbool.h>

/* What the ranks of a host need to open its board. */
struct ftc_board_address {
    int pid, fd; /* pid 0: there is none */
    uint64_t key[2];
};

/* Which ranks share a host, by the launcher: returns how many hosts there are, 0 if it does not
 * say. Of one rank; the others get it by ftc_hosts_meet(). */
int ftc_hosts_by_launcher(void);

/* The same by MPICH, a native collective more: called by all. */
int ftc_hosts_by_mpich(void);

/* Whether this rank is the first of its host, which makes the board there; with several hosts, once
 * ftc_hosts_hear() has been called by all: rank 0 tells them. */
void ftc_hosts_hear(void (*await)(MPI_Request *request));
bool ftc_hosts_is_first(void);
uint32_t ftc_hosts_own(void);

/* All tell all: each rank its doors, which are opened here, and the first of each host @board.
 * Returns that of this host. */
struct ftc_board_address ftc_hosts_meet(const struct ftc_board_address *board,
                                        void (*await)(MPI_Request *request));

/* Enters all of it in the board, which this rank has made. @key: of the connections. */
void ftc_hosts_enter(struct ftc_board *board, const uint64_t key[2]);

/* Whether more ranks than there are cores may use those of this rank. Containers on one machine
 * count as hosts, and each as one with all of its cores. */
bool ftc_hosts_share_cores(void);

/* Whether all ranks are on one machine, on one host or in several containers: the same on all
 * ranks. */
bool ftc_hosts_are_one_machine(void);

/* Listening sockets; -1 on one host, or if there is none. */
int ftc_hosts_link_door(void);  /* for other ranks */
int ftc_hosts_query_door(void); /* for the monitor process to serve at */

#endif
