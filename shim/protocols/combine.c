#include "combine.h"

#include "program/native_call.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int combine(const struct ftc_plan *plan, void *into, const void *from, MPI_Count count)
{
    const struct ftc_call *call = plan->call;
    ptrdiff_t start;
    int rv;

    if (plan->arguments.facts.kernel) {
        plan->arguments.facts.kernel(into, from, (size_t)count);
        return MPI_SUCCESS;
    }
    start = ftc_span_start(&plan->arguments.facts, count);
    ftc_native_call_begin_operation(call->kind);
    rv = PMPI_Reduce_local_c((const char *)from - start, (char *)into - start, count,
                             call->datatype, call->op);
    ftc_native_call_end_operation();
    return rv;
}

struct combination {
    const struct ftc_plan *plan;
    void *into;
    const void *from;
    MPI_Count count;
    int rv;
};

static void carry_out(void *argument)
{
    struct combination *c = argument;

    c->rv = combine(c->plan, c->into, c->from, c->count);
}

/* Computes @into = @from op @into. Returns an MPI error code. */
static int combine_spans(const struct ftc_plan *plan, void *into, const void *from, MPI_Count count)
{
    struct combination c = {plan, into, from, count, MPI_SUCCESS};

    if (!plan->floating)
        return combine(plan, into, from, count);
    ftc_floating_run(plan->floating, carry_out, &c);
    return c.rv;
}

/* Returns whether @plan may compute with floating-point numbers. An operation without a kernel,
 * such as the program's own, may. */
static bool computes_floats(const struct ftc_plan *plan)
{
    switch (plan->arguments.facts.type_class) {
    case FTC_TYPE_FLOATING:
    case FTC_TYPE_HALF:
    case FTC_TYPE_QUAD:
    case FTC_TYPE_COMPLEX:
    case FTC_TYPE_FLOATING_PAIR:
    case FTC_TYPE_REAL_PAIR:
        return true;
    default:
        return !plan->arguments.facts.kernel;
    }
}

/* Returns whether a combination may use x86's stacked registers: for long double, or by an
 * operation without a kernel. */
static bool uses_stacked(const struct ftc_facts *facts)
{
    return !facts->kernel || facts->size_bytes >= sizeof(long double);
}

static bool combines_floats(const struct ftc_plan *plan)
{
    return ftc_call_has_operation(plan->call->kind) && computes_floats(plan);
}

void ftc_combine_note_modes(struct ftc_plan *plan, struct ftc_floating *floating)
{
    if (!combines_floats(plan))
        return;
    ftc_floating_begin(floating, uses_stacked(&plan->arguments.facts));
    plan->floating = floating;
}

/* Notes the modes only where other threads may combine, or where a trap would run a handler of the
 * program while the library holds its locks. */
void ftc_combine_note_modes_blocking(struct ftc_plan *plan, struct ftc_floating *floating)
{
    if (combines_floats(plan) && (ftc_library.locked || ftc_floating_traps()))
        ftc_combine_note_modes(plan, floating);
}

void ftc_combine_elements(struct ftc_plan *plan, void *into, const void *from, MPI_Count count)
{
    int rv = combine_spans(plan, into, from, count);

    if (rv != MPI_SUCCESS)
        plan->error = rv;
}

/* ---- elements of several ranks ---- */

const unsigned char *ftc_combine_two(struct ftc_brackets *b, const unsigned char *left,
                                     const unsigned char *right, unsigned char *into)
{
    int rv = MPI_SUCCESS;

    if (!right)
        return left;
    if (!left)
        return right;
    assert(into);
    if (into != right)
        memcpy(into, right, ftc_span_bytes(&b->plan->arguments.facts, b->count));
    if (b->count > 0)
        rv = combine_spans(b->plan, into, left, b->count);
    if (rv != MPI_SUCCESS)
        b->rv = rv;
    return into;
}

static const unsigned char *combine_leaf(struct ftc_brackets *b, int leaf, unsigned char *into)
{
    if (leaf >= b->pairs)
        return b->operand(b, leaf + b->pairs);
    return ftc_combine_two(b, b->operand(b, 2 * leaf), b->operand(b, 2 * leaf + 1), into);
}

const unsigned char *ftc_combine_leaves(struct ftc_brackets *b, int begin, int width,
                                        unsigned char *into)
{
    const unsigned char *left, *right;

    if (begin >= b->leaves)
        return NULL;
    if (width == 1)
        return combine_leaf(b, begin, into);
    width /= 2;
    right = ftc_combine_leaves(b, begin + width, width, into);
    left = ftc_combine_leaves(b, begin, width, right ? into + b->stride_bytes : into);
    return ftc_combine_two(b, left, right, into);
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
