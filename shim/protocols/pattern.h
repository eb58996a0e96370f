/* pattern: which ranks this rank gives data to, and takes data from. */
#ifndef FTC_PROTOCOLS_PATTERN_H
#define FTC_PROTOCOLS_PATTERN_H

#include "collective.h"
#include "communicator/neighbors.h"

/* The peers of this rank in a call that moves blocks, in the order of the call's arrays (MPI 4.0,
 * sections 6.2.3, 6.5 to 6.8 and 8.6). */
struct ftc_pattern {
    bool gives, takes; /* whether this rank does */
    bool copies_own;   /* data of this rank for itself do not travel */
    int own;           /* this rank */
    int destinations, sources;
    int first_destination, first_source;   /* peers follow each other from here on, or */
    const struct ftc_neighbors *neighbors; /* are these, if it is not NULL */
    enum ftc_call_kind kind;               /* of a call of neighbors */
    struct ftc_neighbors asked;            /* neighbors that have been asked for */
};

/* Asks MPI for the neighbors, unless the plan has them. False without memory. */
bool ftc_pattern_make(struct ftc_pattern *p, const struct ftc_plan *plan);
static inline void ftc_pattern_free(struct ftc_pattern *p)
{
    if (p->neighbors == &p->asked)
        ftc_neighbors_free(&p->asked);
}

/* Return the rank of a peer; below 0: no data travel between this rank and that entry. */
int ftc_pattern_destination(const struct ftc_pattern *p, int index);
int ftc_pattern_source(const struct ftc_pattern *p, int index);

/* Asks MPI about the order of segments in calls of the kind of @call, once. To be called before the
 * operation and without the library's lock: it may delete a communicator that was freed, for which
 * the lock is needed. */
void ftc_pattern_learn_order(const struct ftc_call *call);

/* Returns how many segments of the same source stand before that of entry @index of the sources. */
int ftc_pattern_before(const struct ftc_pattern *p, int index);

/* Whether this rank needs anything of what rank @from gives: blocks, or elements of a reduction.
 * Data of this rank for itself may not need to travel. A plan of neighbors has asked for them. */
bool ftc_pattern_needs(const struct ftc_plan *plan, int from);

#endif
