/* peers: the ranks that a communicator's point-to-point calls can name, and which of them are dead.
 * For an intercommunicator these are the ranks of the remote group.
 *
 * Peers are found by handle. They are kept as an attribute of the communicator, and for as long as
 * requests use them. Unless stated otherwise, functions here must be called with the lock of
 * lock.h. */
#ifndef FTC_P2P_PEERS_H
#define FTC_P2P_PEERS_H

#include "mpi/mpi_library.h"

#include <stdbool.h>
#include <stdint.h>

struct ftc_peers {
    MPI_Comm comm; /* MPI_COMM_NULL once the communicator has been freed */
    int size;
    int others;       /* number of peers without this rank itself */
    int users;        /* number of requests and messages that use the peers */
    int *world;       /* world ranks by rank; negative: not in MPI_COMM_WORLD */
    bool *reported;   /* flags by rank: its death has ended a receive from any source */
    uint64_t begun;   /* number of receives from any source since the first death */
    uint64_t *spared; /* first receive that the death of a rank does not end, by rank; 0: none */
};

/* Prepares for freed communicators. To be called in MPI_Init, without the lock. */
void ftc_peers_open(void);

/* Returns the peers of @comm; NULL if @comm is not valid, or without memory. */
struct ftc_peers *ftc_peers_get(MPI_Comm comm);

/* Frees peers that no request uses any more. */
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

/* Counts a receive or probe of @peer that begins, and returns its number among those from any
 * source. Returns 0 for another @peer, while no rank is dead, and without memory. If this rank
 * has excluded a dead rank after a collective operation, that death ends no receive that begins
 * later. The program knows of the death then, and does not rely on the dead rank. To be called
 * without the lock. */
uint64_t ftc_peers_begin(MPI_Comm comm, int peer);

/* Returns the dead rank because of which a call that names @peer cannot complete, or -1. @begun is
 * the number of the receive. For MPI_ANY_SOURCE the result is a member whose death has not ended
 * such a receive yet, or any dead one if no other member lives. A rank that expects one message
 * from each other rank thus has one receive ended for each death. */
int ftc_peers_culprit(const struct ftc_peers *p, int peer, uint64_t begun);

/* Returns whether all other members are dead. */
bool ftc_peers_are_dead(const struct ftc_peers *p);

/* Notes that the death of @culprit ends a receive from any source. */
void ftc_peers_mark_reported(struct ftc_peers *p, int culprit);

/* Takes the above back, because the receive has not ended after all. */
void ftc_peers_unmark_reported(struct ftc_peers *p, int culprit);

#endif
