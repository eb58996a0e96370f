/* identity: the number by which all ranks know a communicator (doc/design.md, section 8). */
#ifndef FTC_COMMUNICATOR_IDENTITY_H
#define FTC_COMMUNICATOR_IDENTITY_H

#include "communicator.h"

/* All that makes a communicator, besides the settings. */
struct ftc_origin {
    MPI_Comm comm; /* MPI_COMM_NULL: no MPI call uses it */
    int size, rank, remote, remote_size;
    const int *world_rank;
    uint64_t number; /* of its lineage; 0: its first use tells it from others of its membership */
    uint64_t seed;   /* of its identity then */
    int f;
};

/* Sets @c->id, with the library's lock held, which it may give up for a while; 0 or -ENOMEM. */
int ftc_identity_find(struct ftc_comm *c, const struct ftc_origin *from);

#endif
