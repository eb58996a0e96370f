/* pattern: ranks that this rank gives data to, and ranks that it takes data from. */
#ifndef FTC_PROTOCOLS_PATTERN_H
#define FTC_PROTOCOLS_PATTERN_H

#include "collective.h"
#include "communicator/neighbors.h"

/* Peers of this rank in a call that moves blocks, in the order of the call's arrays (MPI 4.0,
 * sections 6.2.3, 6.5 to 6.8 and 8.6). */
struct ftc_pattern {
    bool gives, takes; /* whether this rank gives and takes data */
    bool copies_own;   /* data of this rank for itself do not travel */
    int own;           /* this rank */
    int destinations, sources;
    int first_destination, first_source;   /* first peers; the others follow in rank order */
    const struct ftc_neighbors *neighbors; /* peers of a neighborhood collective; else NULL */
    enum ftc_call_kind kind;               /* kind of the neighborhood collective */
    struct ftc_neighbors asked;            /* neighbors as asked of MPI, owned by the pattern */
};

/* Fills @p. Asks MPI for the neighbors, unless the plan has them. Returns false without memory. */
bool ftc_pattern_make(struct ftc_pattern *p, const struct ftc_plan *plan);
static inline void ftc_pattern_free(struct ftc_pattern *p)
{
    if (p->neighbors == &p->asked)
        ftc_neighbors_free(&p->asked);
}

/* Returns the rank of entry @index of the destinations, or of the sources. Returns a negative
 * number if no data travel between this rank and that entry. */
int ftc_pattern_destination(const struct ftc_pattern *p, int index);
int ftc_pattern_source(const struct ftc_pattern *p, int index);

/* Finds out the order of segments in calls of the kind of @call, once per kind. Calls native MPI
 * (pattern.c says why). Must be called before the operation and without the library's lock: a
 * native call may delete a freed communicator, for which the lock is needed. */
void ftc_pattern_learn_order(const struct ftc_call *call);

/* Returns how many segments from the same source precede that of entry @index of the sources. */
int ftc_pattern_before(const struct ftc_pattern *p, int index);

/* Returns whether this rank needs any data of rank @from: a block, or elements of a reduction. For
 * a neighborhood collective without plan->neighbors, returns true for all ranks. */
bool ftc_pattern_needs(const struct ftc_plan *plan, int from);

#endif
