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

/* Elements whose span has up to @bytes; at least one. */
uint64_t ftc_combine_units(const struct ftc_facts *facts, size_t bytes);

#endif
