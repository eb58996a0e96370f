#include "arguments.h"

#include "inter_roles.h"
#include "layout.h"

#include <stdint.h>

/* ---- reductions and scans in one group ---- */

/* Longest span of elements at absolute addresses that needs no check. The library takes memory for
 * a span of each rank and copies spans. If a span is longer, and less than half of it is data,
 * native MPI carries out the call. */
enum { WIDEST_BYTES = 64 << 20 };

size_t ftc_arguments_given(const struct ftc_arguments *a)
{
    return a->packs_elements ? ftc_packed_bytes(&a->facts, a->count)
                             : ftc_span_bytes(&a->facts, a->count);
}

/* Returns whether the elements of this rank are too far apart: their span exceeds WIDEST_BYTES and
 * twice the data. */
static bool are_too_wide(const struct ftc_arguments *a)
{
    size_t span;

    if (!a->packs_elements)
        return false;
    span = ftc_span_bytes(&a->facts, a->count);
    return span > WIDEST_BYTES && span / 2 > ftc_arguments_given(a);
}

static void count_bytes(struct ftc_arguments *a, size_t blocks)
{
    if (__builtin_mul_overflow(ftc_arguments_given(a), blocks, &a->value_bytes))
        a->value_bytes = SIZE_MAX;
}

/* Returns whether native MPI accepts the buffers of a reduction. If not, native MPI carries out the
 * call and raises the right error. */
static bool buffers_of_reduction_are_valid(const struct ftc_arguments *a,
                                           const struct ftc_call *call, int rank)
{
    bool in_place = call->sendbuf == MPI_IN_PLACE;

    if (!ftc_is_buffer(call->sendbuf, &a->facts))
        return false;
    if (!ftc_call_gives_result(call, rank))
        return !in_place;
    if (ftc_call_scatters_result(call) && !in_place &&
        ftc_layout_count(&call->layouts->receive, rank) == 0)
        return call->sendbuf != call->recvbuf;
    return ftc_is_buffer(call->recvbuf, &a->facts) && call->recvbuf != MPI_IN_PLACE &&
           (in_place || call->sendbuf != call->recvbuf);
}

static void examine_reduction(struct ftc_arguments *a, const struct ftc_call *call,
                              const struct ftc_arguments_comm *comm)
{
    a->count = call->count;
    a->are_valid = (!ftc_call_scatters_result(call) ||
                    ftc_layouts_sum_counts(&call->layouts->receive, comm->size, &a->count)) &&
                   ftc_facts(call->datatype, call->op, &a->facts);
    a->commutative = a->facts.commutative;
    /* a nonblocking call is combined in any thread, so without MPI */
    a->keeps_blocks = !a->commutative || (!a->facts.kernel && ftc_call_is_nonblocking(call->kind));
    if (!a->are_valid || a->count == 0)
        return;
    a->are_valid = buffers_of_reduction_are_valid(a, call, comm->rank);
    a->packs_elements = a->has_addresses = ftc_is_bottom(ftc_call_input(call), &a->facts);
    a->keeps_blocks |= a->packs_elements;
    a->refuses = are_too_wide(a);
    count_bytes(a, a->keeps_blocks ? (size_t)comm->size : 1);
}

static bool buffers_of_scan_are_valid(const struct ftc_arguments *a, const struct ftc_call *call)
{
    return ftc_is_buffer(call->recvbuf, &a->facts) && call->recvbuf != MPI_IN_PLACE &&
           ftc_is_buffer(call->sendbuf, &a->facts) && call->sendbuf != call->recvbuf;
}

static void examine_scan(struct ftc_arguments *a, const struct ftc_call *call, int size)
{
    a->count = call->count;
    a->are_valid = ftc_facts(call->datatype, call->op, &a->facts);
    if (!a->are_valid || call->count == 0)
        return;
    a->are_valid = buffers_of_scan_are_valid(a, call);
    a->packs_elements = ftc_is_bottom(ftc_call_input(call), &a->facts);
    a->refuses = are_too_wide(a);
    count_bytes(a, (size_t)size);
}

/* ---- other calls in one group ---- */

static bool is_buffer(const struct ftc_arguments *a, const void *buffer)
{
    return buffer != MPI_IN_PLACE && ftc_is_buffer(buffer, &a->facts);
}

static void examine_broadcast(struct ftc_arguments *a, const struct ftc_call *call)
{
    a->are_valid = ftc_facts_of_type(call->datatype, &a->facts);
    if (!a->are_valid || call->count == 0)
        return;
    a->are_valid = is_buffer(a, call->recvbuf);
    a->value_bytes = ftc_packed_bytes(&a->facts, call->count);
}

/* Returns whether native MPI accepts a layout of a neighborhood collective. Without elements or
 * neighbors it does not check the datatypes. */
static bool is_valid_of_neighbors(const struct ftc_layout *layout, int blocks)
{
    bool is_empty = layout->counts ? blocks == 0 : layout->count == 0;

    return is_empty || ftc_layout_is_valid(layout, blocks);
}

static void examine_layouts(struct ftc_arguments *a, const struct ftc_call *call,
                            const struct ftc_arguments_comm *comm)
{
    const struct ftc_layouts *s = call->layouts;

    if (ftc_call_is_of_neighbors(call->kind)) {
        a->are_valid = is_valid_of_neighbors(&s->send, comm->destinations) &&
                       is_valid_of_neighbors(&s->receive, comm->sources);
        return;
    }
    a->are_valid = ftc_layouts_are_valid(call, comm->rank, comm->size, &a->value_bytes);
    if (a->are_valid && call->datatype != MPI_DATATYPE_NULL) /* for reports of mismatched calls */
        ftc_facts_of_type(call->datatype, &a->facts);
}

/* ---- calls on an intercommunicator ---- */

static bool inter_root_is_valid(const struct ftc_call *call, int remote_size)
{
    return !ftc_call_has_root(call->kind) || call->root == MPI_ROOT ||
           call->root == MPI_PROC_NULL || (call->root >= 0 && call->root < remote_size);
}

/* Returns whether this rank gets elements. In a reduce_scatter its part may be empty. */
static bool gets_elements(const struct ftc_call *call, int rank)
{
    return ftc_role_takes(call) &&
           (!ftc_call_scatters_result(call) || ftc_layout_count(&call->layouts->receive, rank) > 0);
}

/* Returns whether native MPI accepts the elements of a reduction between groups. The elements of a
 * reduce_scatter are those for this rank's group. Elements travel packed, because the datatypes of
 * the two groups need only have their signature in common. */
static bool inter_elements_are_valid(struct ftc_arguments *a, const struct ftc_call *call,
                                     const struct ftc_arguments_comm *comm)
{
    a->packs_elements = true;
    a->count = call->count;
    if (ftc_call_scatters_result(call) &&
        !ftc_layouts_sum_counts(&call->layouts->receive, comm->size, &a->count))
        return false;
    if (a->count < 0 || !ftc_facts(call->datatype, call->op, &a->facts))
        return false;
    return a->count == 0 || ((!ftc_role_gives(call) || is_buffer(a, call->sendbuf)) &&
                             (!gets_elements(call, comm->rank) || is_buffer(a, call->recvbuf)));
}

static bool inter_buffer_is_valid(struct ftc_arguments *a, const struct ftc_call *call)
{
    return call->count >= 0 && ftc_facts_of_type(call->datatype, &a->facts) &&
           (call->count == 0 || is_buffer(a, call->recvbuf));
}

static bool inter_layout_is_valid(const struct ftc_layout *layout, int blocks)
{
    return (layout->counts || !layout->displacements) && ftc_layout_is_valid(layout, blocks);
}

static bool are_inter_valid(struct ftc_arguments *a, const struct ftc_call *call,
                            const struct ftc_arguments_comm *comm)
{
    const struct ftc_layouts *s = call->layouts;
    int blocks = comm->remote_size;

    if (!ftc_role_gives(call) && !ftc_role_takes(call)) /* no other argument counts */
        return true;
    if (ftc_call_has_operation(call->kind))
        return inter_elements_are_valid(a, call, comm);
    if (!s)
        return inter_buffer_is_valid(a, call);
    return (!ftc_role_gives(call) || inter_layout_is_valid(&s->send, blocks)) &&
           (!ftc_role_takes(call) || inter_layout_is_valid(&s->receive, blocks));
}

/* Examines a call on an intercommunicator. In a call with a root, the other ranks of the root's
 * group cannot know that native MPI must carry out or reject the call. Such a call counts as valid,
 * and the operation tells these ranks. */
static void examine_inter(struct ftc_arguments *a, const struct ftc_call *call,
                          const struct ftc_arguments_comm *comm)
{
    if (ftc_call_is_scan(call->kind) ||
        ftc_call_is_of_neighbors(call->kind) || /* MPI defines neither */
        !inter_root_is_valid(call, comm->remote_size))
        return;
    a->refuses = !are_inter_valid(a, call, comm);
    a->are_valid = !a->refuses || ftc_call_has_root(call->kind);
}

/* ---- any call ---- */

static bool is_barrier(const struct ftc_call *call)
{
    return (ftc_call_traits[call->kind] & ~FTC_TRAIT_REQUEST) == 0 && !call->layouts;
}

static void examine_in_one_group(struct ftc_arguments *a, const struct ftc_call *call,
                                 const struct ftc_arguments_comm *comm)
{
    bool combines = ftc_call_has_operation(call->kind);

    if (call->count < 0 ||
        (ftc_call_has_root(call->kind) && (call->root < 0 || call->root >= comm->size)))
        return;
    if (ftc_call_is_reduction(call->kind) || (combines && !ftc_call_is_scan(call->kind)))
        examine_reduction(a, call, comm);
    else if (combines)
        examine_scan(a, call, comm->size);
    else if (call->layouts)
        examine_layouts(a, call, comm);
    else
        examine_broadcast(a, call);
}

void ftc_arguments_examine(struct ftc_arguments *a, const struct ftc_call *call,
                           const struct ftc_arguments_comm *comm)
{
    a->commutative = true; /* scans and calls between groups combine in rank order */
    if (is_barrier(call))
        a->are_valid = true;
    else if (comm->remote_size > 0)
        examine_inter(a, call, comm);
    else
        examine_in_one_group(a, call, comm);
}
