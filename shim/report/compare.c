#include "compare.h"

#include "job_end.h"
#include "mpi/callsite.h"
#include "system/clock.h"

#include <float.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Of this rank. */
static struct {
    unsigned long long calls, differing;
    uint64_t own_ns, native_ns;
    enum ftc_call_kind first_kind; /* the first that differed */
    unsigned long long first_number;
    const void *first_site;
} total;

/* All ranks must decide alike: by the list of the failed that they agree on. */
static bool is_compared(const struct ftc_call *call, const struct ftc_comm *c)
{
    return ftc_library.settings.compare && ftc_call_is_reduction(call->kind) &&
           !ftc_comm_is_inter(c) && c->member_count == c->size;
}

void ftc_compare_begin(struct ftc_compare *x, const struct ftc_call *call, const struct ftc_comm *c,
                       const struct ftc_facts *facts)
{
    const void *source = ftc_call_input(call);
    size_t bytes;

    *x = (struct ftc_compare){0};
    if (!is_compared(call, c))
        return;
    bytes = ftc_span_bytes(facts, call->count);
    if (bytes == SIZE_MAX) /* more than an int of elements */
        return;
    x->input = aligned_alloc(64, (3 * bytes + 63) / 64 * 64 + 64);
    if (!x->input) { /* the other ranks would wait in native MPI */
        ftc_job_end_no_memory("setting compare");
        return;
    }
    x->native = x->input + (bytes + 15) / 16 * 16;
    x->own = x->native + (bytes + 15) / 16 * 16;
    memset(x->native, 0, bytes);
    ftc_span_read(x->input, source, call->count, facts);
    x->started_ns = ftc_clock_ns();
}

static void reduce_natively(const struct ftc_compare *x, const struct ftc_call *call,
                            const struct ftc_facts *facts)
{
    ptrdiff_t start = ftc_span_start(facts, call->count);
    const void *in = x->input - start;
    void *out = x->native - start;

    if (call->kind == FTC_CALL_ALLREDUCE)
        PMPI_Allreduce(in, out, (int)call->count, call->datatype, call->op, call->comm);
    else
        PMPI_Reduce(in, out, (int)call->count, call->datatype, call->op, call->root, call->comm);
}

/* Of x87's extended numbers, which are stored in more bytes than they have. */
enum { LONG_DOUBLE_BYTES = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double) };

static size_t long_doubles_of(const struct ftc_facts *facts)
{
    switch (facts->type_class) {
    case FTC_TYPE_FLOATING:
        return facts->size_bytes == sizeof(long double);
    case FTC_TYPE_COMPLEX:
        return facts->size_bytes == 2 * sizeof(long double) ? 2 : 0;
    case FTC_TYPE_FLOATING_PAIR:
        return facts->size_bytes == sizeof(long double) + sizeof(int);
    default:
        return 0;
    }
}

/* What is stored there is nobody's result. */
static void clear_padding(unsigned char *span, MPI_Count count, const struct ftc_facts *facts)
{
    size_t numbers = long_doubles_of(facts), rest = sizeof(long double) - LONG_DOUBLE_BYTES;

    for (MPI_Count i = 0; numbers > 0 && rest > 0 && i < count; i++) {
        unsigned char *element = span + i * facts->extent_bytes;

        for (size_t n = 0; n < numbers; n++)
            memset(element + n * sizeof(long double) + LONG_DOUBLE_BYTES, 0, rest);
    }
}

static void judge(const struct ftc_compare *x, const struct ftc_call *call,
                  const struct ftc_facts *facts)
{
    size_t bytes = ftc_span_bytes(facts, call->count);

    ftc_span_read(x->own, call->recvbuf, call->count, facts);
    clear_padding(x->own, call->count, facts);
    clear_padding(x->native, call->count, facts);
    if (memcmp(x->own, x->native, bytes) == 0 || total.differing++ > 0)
        return;
    total.first_kind = call->kind;
    total.first_number = total.calls;
    total.first_site = ftc_callsite_of(call->return_address);
}

void ftc_compare_end(struct ftc_compare *x, const struct ftc_call *call, const struct ftc_comm *c,
                     const struct ftc_facts *facts)
{
    uint64_t middle_ns, end_ns;

    if (!x->input)
        return;
    middle_ns = ftc_clock_ns();
    if (is_compared(call, c) && call->result == MPI_SUCCESS) {
        reduce_natively(x, call, facts);
        end_ns = ftc_clock_ns();
        ftc_library_lock();
        total.own_ns += middle_ns - x->started_ns;
        total.native_ns += end_ns - middle_ns;
        if (ftc_call_gives_result(call, c->rank))
            judge(x, call, facts);
        total.calls++;
        ftc_library_unlock();
    }
    free(x->input);
}

bool ftc_compare_is_used(void)
{
    return total.calls > 0;
}

void ftc_compare_write(FILE *f)
{
    char site[128];

    if (!ftc_compare_is_used())
        return;
    fprintf(f,
            "ftcoll: compared with native: %llu calls of rank %d, %llu results differ; mean time "
            "%.2f us here, %.2f us natively\n",
            total.calls, ftc_library.world_rank, total.differing,
            (double)total.own_ns / (double)total.calls / 1e3,
            (double)total.native_ns / (double)total.calls / 1e3);
    if (total.differing == 0)
        return;
    ftc_callsite_name(total.first_site, site, sizeof site);
    fprintf(f, "ftcoll:     the first: %s, call %llu, at %s\n", ftc_call_name(total.first_kind),
            total.first_number, site);
}

static void write_first(struct ftc_json *j)
{
    char site[128];

    if (total.differing == 0) {
        ftc_json_add_null(j, "first");
        return;
    }
    ftc_callsite_name(total.first_site, site, sizeof site);
    ftc_json_open_object(j, "first");
    ftc_json_add_text(j, "call", ftc_call_name(total.first_kind));
    ftc_json_add_count(j, "number", total.first_number);
    ftc_json_add_text(j, "site", site);
    ftc_json_close(j);
}

void ftc_compare_write_json(struct ftc_json *j)
{
    if (!ftc_compare_is_used()) {
        ftc_json_add_null(j, "compared");
        return;
    }
    ftc_json_open_object(j, "compared");
    ftc_json_add_count(j, "calls", total.calls);
    ftc_json_add_count(j, "differing", total.differing);
    ftc_json_add_decimal(j, "mean_us", (int64_t)(total.own_ns / total.calls), 3);
    ftc_json_add_decimal(j, "native_mean_us", (int64_t)(total.native_ns / total.calls), 3);
    write_first(j);
    ftc_json_close(j);
}
