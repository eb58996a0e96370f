/* combine: what all calls that combine elements have in common. */
#ifndef FTC_PROTOCOLS_COMBINE_H
#define FTC_PROTOCOLS_COMBINE_H

#include "collective.h"
#include "system/floating.h"

/* Has what @plan combines computed with the floating-point modes of this thread, which makes the
 * call, wherever it is combined. @floating stays where it is as long as the plan does. */
void ftc_combine_note_modes(struct ftc_plan *plan, struct ftc_floating *floating);

/* As above, for a blocking call: without effect where its thread combines anyway and no exception
 * traps. */
void ftc_combine_note_modes_blocking(struct ftc_plan *plan, struct ftc_floating *floating);

/* @into = @from op @into, spans of @count elements each. Returns an MPI error code. */
int ftc_combine_spans(const struct ftc_plan *plan, void *into, const void *from, MPI_Count count);

/* As above, but leaves the code of an error in plan->error. */
void ftc_combine_elements(struct ftc_plan *plan, void *into, const void *from, MPI_Count count);

/* The elements of several ranks, which become one. Operations on numbers are not associative to the
 * last bit, so the brackets are those of MPICH's algorithms for small messages, found in its
 * sources: then results have native's bits. */
struct ftc_brackets {
    const struct ftc_plan *plan;
    int leaves, pairs;   /* the first leaves are pairs of ranks, all others single ones */
    MPI_Count count;     /* of elements of each rank */
    size_t stride_bytes; /* from one span of these in the room to the next */
    int rv;              /* MPI error code of the operation */
    /* Returns the span of the elements of @rank; NULL: it has given none. */
    const unsigned char *(*operand)(struct ftc_brackets *b, int rank);
};

/* Combines @width leaves from @begin on, a power of two, in a binomial tree, which is that of
 * recursive doubling, too. Returns their elements, in the room from @into on or, of one rank, where
 * they are; NULL: no rank has given any. The room has as many spans as there are levels, and one
 * more. */
const unsigned char *ftc_combine_leaves(struct ftc_brackets *b, int begin, int width,
                                        unsigned char *into);

/* Combines @left and @right, either of which may be NULL, the second of which may be at @into. */
const unsigned char *ftc_combine_two(struct ftc_brackets *b, const unsigned char *left,
                                     const unsigned char *right, unsigned char *into);

/* Elements whose span has up to @bytes; at least one. */
uint64_t ftc_combine_units(const struct ftc_facts *facts, size_t bytes);

#endif
