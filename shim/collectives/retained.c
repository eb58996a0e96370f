#include "retained.h"

#include "value/handle_reference.h"
#include "value/inter_roles.h"
#include "value/layout.h"

#include <stdlib.h>
#include <string.h>

/* ---- numbers of blocks ---- */

/* Numbers of blocks that this rank sends and receives. Elements of arrays beyond them are not read,
 * because MPI allows any content there. */
struct extent {
    int out, in;
};

/* Returns the numbers of blocks on an intercommunicator. The counts of a reduce_scatter are for the
 * ranks of this rank's group, those of all other calls for the other group. */
static struct extent inter_extent(const struct ftc_plan *plan)
{
    int blocks = ftc_call_has_operation(plan->call->kind) ? ftc_comm_local_size(plan->comm)
                                                          : plan->comm->remote_size;

    if (plan->arguments.refuses)
        return (struct extent){0, 0};
    return (struct extent){.out = ftc_role_gives(plan->call) ? blocks : 0,
                           .in = ftc_role_takes(plan->call) ? blocks : 0};
}

static struct extent extent_of(const struct ftc_plan *plan)
{
    const struct ftc_call *call = plan->call;
    const struct ftc_comm *comm = plan->comm;

    if (!call->layouts || !ftc_layouts_have_arrays(call->layouts))
        return (struct extent){0, 0};
    if (ftc_call_is_of_neighbors(call->kind))
        return (struct extent){plan->neighbors->destinations, plan->neighbors->sources};
    if (plan->is_inter)
        return inter_extent(plan);
    return (struct extent){.out = ftc_layouts_are_sent(call, comm->rank) ? comm->size : 0,
                           .in = ftc_layouts_are_received(call, comm->rank) ? comm->size : 0};
}

/* ---- arrays ---- */

bool ftc_layouts_have_arrays(const struct ftc_layouts *layouts)
{
    const struct ftc_layout *out = &layouts->send, *in = &layouts->receive;

    return out->counts || out->displacements || out->datatypes || in->counts || in->displacements ||
           in->datatypes;
}

/* Room for the arrays of a layout: at most ARRAYS arrays, with at most ELEMENT_BYTES for each
 * block, to which the arrays are aligned. */
enum { ELEMENT_BYTES = sizeof(MPI_Count), ARRAYS = 3 };

/* Copies @array of @blocks elements to *@at and moves *@at past it. Returns the copy; NULL if there
 * is nothing to copy. */
static void *copy(const void *array, int blocks, size_t element_bytes, unsigned char **at)
{
    unsigned char *room = *at;

    if (!array || blocks == 0)
        return NULL;
    memcpy(room, array, (size_t)blocks * element_bytes);
    *at += (size_t)blocks * ELEMENT_BYTES;
    return room;
}

static size_t number_bytes(bool are_wide)
{
    return are_wide ? sizeof(MPI_Count) : sizeof(int);
}

static void copy_arrays(struct ftc_layout *layout, int blocks, unsigned char **at)
{
    layout->counts = copy(layout->counts, blocks, number_bytes(layout->counts_are_wide), at);
    layout->displacements =
        copy(layout->displacements, blocks, number_bytes(layout->displacements_are_wide), at);
    layout->datatypes = copy(layout->datatypes, blocks, sizeof *layout->datatypes, at);
}

/* ---- handles ---- */

struct ftc_retained_handle {
    enum ftc_handle_kind kind;
    int handle;
};
_Static_assert(sizeof(struct ftc_retained_handle) % ELEMENT_BYTES == 0, "arrays follow handles");

/* Handles besides those of blocks: the datatype and the operation of the call, and the datatype of
 * each layout. */
enum { OF_CALL = 4 };

static bool retain(struct ftc_retained *k, enum ftc_handle_kind kind, int handle)
{
    if (!ftc_handle_hold(kind, handle))
        return false;
    k->handle[k->handles++] = (struct ftc_retained_handle){kind, handle};
    return true;
}

/* Keeps the datatypes of @layout. Leaves out that of a block without elements, which may be
 * anything. */
static bool retain_layout(struct ftc_retained *k, const struct ftc_layout *layout, int blocks)
{
    if (!retain(k, FTC_HANDLE_DATATYPE, layout->datatype))
        return false;
    for (int i = 0; layout->datatypes && i < blocks; i++)
        if (ftc_layout_count(layout, i) != 0 &&
            !retain(k, FTC_HANDLE_DATATYPE, layout->datatypes[i]))
            return false;
    return true;
}

static bool retain_handles(struct ftc_retained *k, const struct ftc_call *call,
                           struct extent extent)
{
    return retain(k, FTC_HANDLE_DATATYPE, call->datatype) &&
           retain(k, FTC_HANDLE_OPERATION, call->op) &&
           (!call->layouts || (retain_layout(k, &call->layouts->send, extent.out) &&
                               retain_layout(k, &call->layouts->receive, extent.in)));
}

/* ---- the whole call ---- */

/* Asks MPI for the neighbors, once, while the communicator exists. */
static bool retain_neighbors(struct ftc_retained *retained, struct ftc_plan *plan)
{
    if (!ftc_call_is_of_neighbors(plan->call->kind) || plan->neighbors)
        return true;
    plan->neighbors = &retained->neighbors;
    return ftc_neighbors_get(plan->call->comm, &retained->neighbors);
}

static bool make_room(struct ftc_retained *retained, const struct ftc_plan *plan,
                      struct ftc_layouts *layouts, struct extent extent)
{
    size_t blocks = (size_t)extent.out + (size_t)extent.in, handles = OF_CALL + blocks;
    unsigned char *at;

    retained->handle = malloc(handles * sizeof *retained->handle + ARRAYS * blocks * ELEMENT_BYTES);
    if (!retained->handle)
        return false;
    if (!plan->call->layouts)
        return true;
    at = (unsigned char *)(retained->handle + handles);
    copy_arrays(&layouts->send, extent.out, &at);
    copy_arrays(&layouts->receive, extent.in, &at);
    return true;
}

bool ftc_retain(struct ftc_retained *retained, struct ftc_plan *plan, struct ftc_layouts *layouts)
{
    struct extent extent;

    if (!retain_neighbors(retained, plan))
        return false;
    extent = extent_of(plan);
    plan->is_retained =
        make_room(retained, plan, layouts, extent) && retain_handles(retained, plan->call, extent);
    return plan->is_retained;
}

void ftc_release_retained(struct ftc_retained *retained)
{
    for (int i = 0; i < retained->handles; i++)
        ftc_handle_release(retained->handle[i].kind, retained->handle[i].handle);
    free(retained->handle);
    ftc_neighbors_free(&retained->neighbors);
}
