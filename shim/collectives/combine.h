/* combine: what small and large reductions have in common. */
#ifndef FTC_COLLECTIVES_COMBINE_H
#define FTC_COLLECTIVES_COMBINE_H

#include "collective.h"

/* @into = @from op @into, spans of @count elements each. */
void ftc_combine_elements(struct ftc_plan *plan, void *into, const void *from, MPI_Count count);

#endif
