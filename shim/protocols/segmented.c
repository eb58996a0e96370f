#include "segmented.h"

#include "combine.h"
#include "contributor_policy.h"
#include "limits.h"
#include "progress/running.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16 };

bool ftc_segmented_fits(const struct ftc_plan *plan)
{
    return ftc_span_bytes(&plan->arguments.facts, 1) <= ftc_limits_part_bytes(plan->comm->size);
}

/* ---- where things are ---- */

static size_t head_bytes(int ranks)
{
    return (ftc_round_status_bytes(ranks) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t ftc_segmented_room(int ranks)
{
    return head_bytes(ranks) + ftc_limits_part_bytes(ranks);
}

static uint64_t most_units(const struct ftc_plan *plan)
{
    return ftc_combine_units(&plan->arguments.facts, ftc_limits_part_bytes(plan->comm->size));
}

/* Returns the number of elements of @slice. */
static MPI_Count units_of(const struct ftc_plan *plan, uint64_t slice)
{
    uint64_t left = (uint64_t)plan->arguments.count - slice * most_units(plan),
             most = most_units(plan);

    return (MPI_Count)(left < most ? left : most);
}

/* Returns the address that MPI calls expect for the elements of @slice in @base. */
static char *elements(const struct ftc_plan *plan, const void *base, uint64_t slice)
{
    return (char *)base +
           (ptrdiff_t)(slice * most_units(plan)) * plan->arguments.facts.extent_bytes;
}

/* Returns the distance of two slices in the results, in bytes. */
static size_t stride(const struct ftc_plan *plan)
{
    size_t bytes = ftc_span_bytes(&plan->arguments.facts, (MPI_Count)most_units(plan));

    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* ---- a slice ---- */

static bool get_memory(struct ftc_segmented *s)
{
    size_t bytes;

    if (!ftc_call_gives_result(s->plan->call, s->plan->comm->rank))
        return true;
    if (__builtin_mul_overflow((size_t)s->slices.count, stride(s->plan), &bytes) ||
        bytes > ftc_limits_memory_bytes())
        return false;
    s->results = malloc(bytes);
    return s->results != NULL;
}

static void open(struct ftc_plan *plan)
{
    struct ftc_segmented *s = plan->state;
    uint64_t most = most_units(plan);

    *s = (struct ftc_segmented){
        .plan = plan,
        .slices.count = ((uint64_t)plan->arguments.count + most - 1) / most,
    };
    s->has_memory = get_memory(s);
}

static void *give(const struct ftc_segmented *s)
{
    const struct ftc_plan *plan = s->plan;
    unsigned char *value = plan->comm->running->contribution;
    uint32_t flags = (s->has_memory ? 0 : FTC_ROUND_NO_MEMORY) |
                     (ftc_contributor_policy_note(plan) ? FTC_ROUND_REQUIRES_ALL : 0);
    struct ftc_round_status own = ftc_round_status_of(plan->comm->rank, flags, 0);

    memcpy(value, &own, ftc_round_status_bytes(plan->comm->size));
    return ftc_span_read(value + head_bytes(plan->comm->size),
                         elements(plan, ftc_call_input(plan->call), s->slices.next),
                         units_of(plan, s->slices.next), &plan->arguments.facts) == MPI_SUCCESS
               ? value
               : NULL;
}

static void combine(void *context, void *into, const void *from)
{
    struct ftc_plan *plan = context;
    const struct ftc_segmented *s = plan->state;
    size_t header = head_bytes(plan->comm->size);

    ftc_round_status_join(into, from, plan->comm->size);
    ftc_combine_elements(plan, (char *)into + header, (const char *)from + header,
                         units_of(plan, s->slices.next));
}

static void request(struct ftc_plan *plan, struct ftc_loop_request *request)
{
    const struct ftc_segmented *s = plan->state;

    request->value_bytes = head_bytes(plan->comm->size) +
                           ftc_span_bytes(&plan->arguments.facts, units_of(plan, s->slices.next));
    if (ftc_running_reserve(plan->comm, request->value_bytes) == 0)
        request->contribution = give(s);
    request->combine = combine;
}

/* ---- after the operation ---- */

/* Returns whether the slice has the contributors of the slice before. If not, stores its status in
 * s->status. */
static bool is_alike(struct ftc_segmented *s)
{
    struct ftc_round_status status =
        ftc_round_status_read(s->plan->comm->running->op.result.value, s->plan->comm->size);
    bool is_same = memcmp(status.who, s->status.who, sizeof status.who) == 0;

    if (!is_same)
        s->status = status;
    return is_same;
}

static void keep(const struct ftc_segmented *s)
{
    const unsigned char *value = s->plan->comm->running->op.result.value;

    memcpy(s->results + s->slices.next * stride(s->plan), value + head_bytes(s->plan->comm->size),
           ftc_span_bytes(&s->plan->arguments.facts, units_of(s->plan, s->slices.next)));
}

static int write_results(const struct ftc_segmented *s)
{
    const struct ftc_plan *plan = s->plan;
    int rv = MPI_SUCCESS;

    for (uint64_t slice = 0; slice < s->slices.count && rv == MPI_SUCCESS; slice++)
        rv = ftc_span_write(elements(plan, plan->call->recvbuf, slice),
                            s->results + slice * stride(plan), units_of(plan, slice),
                            &plan->arguments.facts);
    return rv;
}

static int take_all(const struct ftc_segmented *s)
{
    int rv = s->results ? write_results(s) : MPI_SUCCESS;

    return rv == MPI_SUCCESS
               ? ftc_contributor_policy_look_at_set(s->plan, s->status.who,
                                                    (s->status.flags & FTC_ROUND_REQUIRES_ALL) != 0)
               : rv;
}

static int after(struct ftc_plan *plan)
{
    struct ftc_segmented *s = plan->state;
    bool has_same_contributors = is_alike(s);

    if (s->status.flags & FTC_ROUND_NO_MEMORY)
        return ftc_limits_error(plan->call, s->status.flags);
    if (s->results)
        keep(s);
    ftc_slices_hear(&s->slices, has_same_contributors);
    plan->is_again = ftc_slices_are_missing(&s->slices);
    return plan->is_again ? MPI_SUCCESS : take_all(s);
}

static void close_call(const struct ftc_plan *plan)
{
    const struct ftc_segmented *s = plan->state;

    free(s->results);
}

const struct ftc_protocol_steps ftc_segmented_steps = {
    .open = open,
    .request = request,
    .after = after,
    .close = close_call,
};
