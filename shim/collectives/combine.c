#include "combine.h"

void ftc_combine_elements(struct ftc_plan *plan, void *into, const void *from, MPI_Count count)
{
    const struct ftc_call *call = plan->call;
    ptrdiff_t start = ftc_span_start(&plan->facts, count);
    int rv;

    if (plan->facts.kernel) {
        plan->facts.kernel(into, from, (size_t)count);
        return;
    }
    rv = PMPI_Reduce_local((const char *)from - start, (char *)into - start, (int)count,
                           call->datatype, call->op);
    if (rv != MPI_SUCCESS)
        plan->error = rv;
}
