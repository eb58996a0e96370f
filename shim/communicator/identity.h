/* identity: the number that identifies a communicator on all ranks (doc/design.md, section 8). */
#ifndef FTC_COMMUNICATOR_IDENTITY_H
#define FTC_COMMUNICATOR_IDENTITY_H

#include "communicator.h"

/* Properties from which a communicator is made, besides the settings. */
struct ftc_origin {
    MPI_Comm comm; /* MPI_COMM_NULL: no MPI call uses it */
    int size, rank, remote, remote_size;
    const int *world_rank;
    uint64_t number; /* number of its lineage; 0: unknown, the order of first uses identifies it */
    uint64_t seed;   /* start of the hash if number is 0 */
    int f;
};

/* Sets @c->id. Called with the library's lock held, which it may release for a while. Returns 0 or
 * -ENOMEM. */
int ftc_identity_find(struct ftc_comm *c, const struct ftc_origin *from);

#endif
