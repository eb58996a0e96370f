/* peers: the ranks that a communicator's point-to-point calls name, and which of them are dead. Of
 * an intercommunicator these are the ranks of the remote group.
 *
 * Found by handle, kept as an attribute of the communicator, and for as long as requests name them.
 * Everything here is called with the lock of lock.h held. */
#ifndef FTC_P2P_PEERS_H
#define FTC_P2P_PEERS_H

#include "mpi/mpi_library.h"

#include <stdbool.h>
#include <stdint.h>

struct ftc_peers {
    MPI_Comm comm; /* MPI_COMM_NULL once it has been freed */
    int size;
    int others;       /* without this rank itself */
    int users;        /* requests that name it */
    int *world;       /* world ranks, by rank; below 0: outside of MPI_COMM_WORLD */
    bool *told;       /* by rank: its death has completed a receive from any source */
    uint64_t begun;   /* receives from any source since the first death */
    uint64_t *spared; /* by rank: the first of them that its death does not end; 0: none */
};

/* In MPI_Init. */
void ftc_peers_open(void);

/* NULL for a communicator that is not valid, or without memory. */
struct ftc_peers *ftc_peers_get(MPI_Comm comm);

/* For what nobody names any more. */
void ftc_peers_release(struct ftc_peers *p);

static inline void ftc_peers_use(struct ftc_peers *p)
{
    p->users++;
}

static inline void ftc_peers_drop(struct ftc_peers *p)
{
    if (--p->users == 0 && p->comm == MPI_COMM_NULL)
        ftc_peers_release(p);
}

/* A receive or probe of @peer begins; to be called without the lock. Returns its number among those
 * from any source, 0 while no rank is dead: a death that a collective of the communicator has left
 * out here ends none that begins later. The program knows of it then, and does not count on that
 * rank. */
uint64_t ftc_peers_begin(MPI_Comm comm, int peer);

/* The dead rank because of which a call that names @peer cannot come to an end; -1 if it may. For
 * MPI_ANY_SOURCE, in the receive with number @begun, a member whose death has not been told yet,
 * or any dead one if nobody else lives: a rank that counts on one message of each of the others has
 * one receive ended for each death. */
int ftc_peers_culprit(const struct ftc_peers *p, int peer, uint64_t begun);

/* True if all other members are dead. */
bool ftc_peers_are_dead(const struct ftc_peers *p);

/* The death of @culprit ends a receive from any source; and it does not after all. */
void ftc_peers_tell(struct ftc_peers *p, int culprit);
void ftc_peers_untell(struct ftc_peers *p, int culprit);

#endif
