#include "combine.h"

#include "program/error.h"
#include "report/record.h"
#include "value/contributors.h"

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

/* The setting that wants all ranks in a result. The contributors tell whether a call site wants it,
 * on any rank: so all survivors of an allreduce decide alike, wherever they call it from. */
static const char *required_by(const struct ftc_call *call, const void *contributors)
{
    if (ftc_library.settings.require_all & (1 << ftc_operator_of(call->op)))
        return "require_all";
    return ftc_contributors_are_required(contributors) ? "require_all_at" : NULL;
}

int ftc_combine_look_at_contributors(const struct ftc_plan *plan, const void *contributors)
{
    const struct ftc_comm *c = plan->comm;
    int missing = ftc_contributors_count_missing(contributors, c->size);
    const char *setting;

    if (missing == 0)
        return MPI_SUCCESS;
    ftc_record_result(plan->call, c, contributors);
    setting = required_by(plan->call, contributors);
    return setting ? ftc_error_incomplete(plan->call, c, missing, setting) : MPI_SUCCESS;
}
