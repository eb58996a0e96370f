#include "combine.h"

#include "program/native_call.h"

#include <limits.h>
#include <stdlib.h>

int ftc_combine_spans(const struct ftc_plan *plan, void *into, const void *from, MPI_Count count)
{
    const struct ftc_call *call = plan->call;
    ptrdiff_t start;
    int rv;

    if (plan->facts.kernel) {
        plan->facts.kernel(into, from, (size_t)count);
        return MPI_SUCCESS;
    }
    start = ftc_span_start(&plan->facts, count);
    ftc_native_call_begin_operation(call->kind);
    rv = PMPI_Reduce_local_c((const char *)from - start, (char *)into - start, count,
                             call->datatype, call->op);
    ftc_native_call_end_operation();
    return rv;
}

void ftc_combine_elements(struct ftc_plan *plan, void *into, const void *from, MPI_Count count)
{
    int rv = ftc_combine_spans(plan, into, from, count);

    if (rv != MPI_SUCCESS)
        plan->error = rv;
}

uint64_t ftc_combine_units(const struct ftc_facts *facts, size_t bytes)
{
    size_t step = (size_t)llabs((long long)facts->extent_bytes);
    uint64_t units = step == 0 ? INT_MAX : bytes / step;

    if (units > INT_MAX)
        units = INT_MAX;
    while (units > 1 && ftc_span_bytes(facts, (MPI_Count)units) > bytes)
        units -= units / 8 + 1;
    return units > 0 ? units : 1;
}
