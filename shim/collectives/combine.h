/* combine: what small and large reductions have in common. */
#ifndef FTC_COLLECTIVES_COMBINE_H
#define FTC_COLLECTIVES_COMBINE_H

#include "collective.h"

/* @into = @from op @into, spans of @count elements each. */
void ftc_combine_elements(struct ftc_plan *plan, void *into, const void *from, MPI_Count count);

/* What is done about ranks that are not in a result that this rank gets, by its @contributors.
 * Returns an MPI error code. */
int ftc_combine_look_at_contributors(const struct ftc_plan *plan, const void *contributors);

#endif
