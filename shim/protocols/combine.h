/* combine: functions that all calls share that combine elements. */
#ifndef FTC_PROTOCOLS_COMBINE_H
#define FTC_PROTOCOLS_COMBINE_H

#include "collective.h"
#include "system/floating.h"

/* Makes @plan combine floating-point numbers with the modes of the calling thread, whichever thread
 * combines. @floating must stay valid as long as @plan does. Without effect if the plan combines no
 * floating-point numbers. */
void ftc_combine_note_modes(struct ftc_plan *plan, struct ftc_floating *floating);

/* As above, for a blocking call. Also without effect if only the calling thread combines and no
 * exception traps. */
void ftc_combine_note_modes_blocking(struct ftc_plan *plan, struct ftc_floating *floating);

/* Computes @into = @from op @into for spans of @count elements each. Stores the MPI error code of
 * an error in plan->error. */
void ftc_combine_elements(struct ftc_plan *plan, void *into, const void *from, MPI_Count count);

/* Combination of the elements of several ranks. Floating-point operations are not associative, so
 * the elements are nested as in MPICH's algorithms for small messages (taken from its sources). The
 * result then has the same bits as native MPI's. */
struct ftc_brackets {
    const struct ftc_plan *plan;
    int leaves, pairs;   /* number of leaves; number of the first ones, which have two ranks each */
    MPI_Count count;     /* elements of each rank */
    size_t stride_bytes; /* distance of two spans in the memory for results */
    int rv;              /* MPI error code of the last combination that failed */
    /* Returns the span of the elements of @rank. NULL: the rank has given none. */
    const unsigned char *(*operand)(struct ftc_brackets *b, int rank);
};

/* Combines @width leaves, a power of two, from leaf @begin on. Nests them as a binomial tree, as
 * recursive doubling does too. Returns the combined span at @into. If only one rank has given
 * elements, returns its operand. Returns NULL if no rank has given any. @into must have room for
 * one span more than the tree has levels. */
const unsigned char *ftc_combine_leaves(struct ftc_brackets *b, int begin, int width,
                                        unsigned char *into);

/* Combines @left and @right into @into and returns @into. If one of them is NULL, returns the
 * other. @right may be equal to @into. */
const unsigned char *ftc_combine_two(struct ftc_brackets *b, const unsigned char *left,
                                     const unsigned char *right, unsigned char *into);

/* Returns a number of elements, at most INT_MAX, whose span has up to @bytes. Returns 1 if a single
 * element is longer. */
uint64_t ftc_combine_units(const struct ftc_facts *facts, size_t bytes);

#endif
