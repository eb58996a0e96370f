#include "combine.h"

int ftc_combine_spans(const struct ftc_plan *plan, void *into, const void *from, MPI_Count count)
{
    const struct ftc_call *call = plan->call;
    ptrdiff_t start;

    if (plan->facts.kernel) {
        plan->facts.kernel(into, from, (size_t)count);
        return MPI_SUCCESS;
    }
    start = ftc_span_start(&plan->facts, count);
    return PMPI_Reduce_local((const char *)from - start, (char *)into - start, (int)count,
                             call->datatype, call->op);
}

void ftc_combine_elements(struct ftc_plan *plan, void *into, const void *from, MPI_Count count)
{
    int rv = ftc_combine_spans(plan, into, from, count);

    if (rv != MPI_SUCCESS)
        plan->error = rv;
}
