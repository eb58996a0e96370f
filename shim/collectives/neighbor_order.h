/* neighbor_order: which segment belongs to which entry, where one rank is more than one neighbor.
 *
 * In a periodic dimension of one or two ranks, both neighbors are one rank. MPI wants that what
 * goes to the left comes from the right (MPI 4.0, section 8.6). MPICH 4.0.2 does so in
 * MPI_Neighbor_alltoall, but not in the forms with many counts. This library does as the program's
 * MPI library does, and finds that out without communication. */
#ifndef FTC_COLLECTIVES_NEIGHBOR_ORDER_H
#define FTC_COLLECTIVES_NEIGHBOR_ORDER_H

#include "call/call.h"
#include "communicator/neighbors.h"

/* Asks MPI about calls of the kind of @call, once. To be called before the operation and without
 * the library's lock: it may delete a communicator that was freed, for which the lock is needed. */
void ftc_neighbor_order_learn(const struct ftc_call *call);

/* Returns how many segments of the same source stand before that of entry @index of the sources. */
int ftc_neighbor_order_before(enum ftc_call_kind kind, const struct ftc_neighbors *n, int index);

#endif
