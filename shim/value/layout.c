#include "layout.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Sets the facts of @view to those of @datatype. Returns false if native MPI rejects it. */
static bool look_at(struct ftc_layout_view *view, MPI_Datatype datatype)
{
    const struct ftc_facts *facts = ftc_facts_at(datatype, &view->derived);

    if (facts)
        view->facts = facts;
    return facts != NULL;
}

bool ftc_layout_view(struct ftc_layout_view *view, const struct ftc_layout *layout)
{
    static const struct ftc_facts none = {.datatype = MPI_DATATYPE_NULL};

    view->layout = layout;
    view->facts = &none;
    return layout->datatypes || look_at(view, layout->datatype);
}

static MPI_Count number_at(const void *numbers, int index, bool are_wide)
{
    return are_wide ? ((const MPI_Count *)numbers)[index] : ((const int *)numbers)[index];
}
_Static_assert(sizeof(MPI_Aint) == sizeof(MPI_Count), "wide displacements are read as counts");

MPI_Count ftc_layout_count(const struct ftc_layout *layout, int index)
{
    return layout->counts ? number_at(layout->counts, index, layout->counts_are_wide)
                          : layout->count;
}

static ptrdiff_t offset_of(const struct ftc_layout_view *view, int index)
{
    const struct ftc_layout *s = view->layout;
    ptrdiff_t number;

    if (!s->displacements)
        return (ptrdiff_t)(index * s->count) * view->facts->extent_bytes;
    number = number_at(s->displacements, index, s->displacements_are_wide);
    return s->datatypes ? number : number * view->facts->extent_bytes;
}

/* Sets the facts of @view to those of block @index. The datatype is valid, because the call has
 * been examined. The datatype of a block without elements may be anything, and is skipped. */
static void look_at_datatype(struct ftc_layout_view *view, int index)
{
    const MPI_Datatype *datatypes = view->layout->datatypes;

    if (datatypes && ftc_layout_count(view->layout, index) != 0 &&
        datatypes[index] != view->facts->datatype)
        look_at(view, datatypes[index]);
}

struct ftc_layout_block ftc_layout_block(struct ftc_layout_view *view, int index)
{
    look_at_datatype(view, index);
    return (struct ftc_layout_block){
        .address = (char *)view->layout->buffer + offset_of(view, index),
        .count = ftc_layout_count(view->layout, index),
        .facts = view->facts,
    };
}

struct ftc_layout_block ftc_layout_whole(struct ftc_layout_view *view)
{
    return (struct ftc_layout_block){
        .address = view->layout->buffer,
        .count = view->layout->count,
        .facts = view->facts,
    };
}

size_t ftc_layout_block_bytes(const struct ftc_layout_block *place)
{
    return ftc_packed_bytes(place->facts, place->count);
}

int ftc_layout_block_read(void *packed, const struct ftc_layout_block *place)
{
    return ftc_pack(packed, place->address, place->count, place->facts);
}

int ftc_layout_block_write(const struct ftc_layout_block *place, const void *packed, size_t bytes)
{
    return ftc_unpack_some(place->address, packed, bytes, place->count, place->facts);
}

int ftc_layout_block_zero(const struct ftc_layout_block *place)
{
    size_t bytes = ftc_layout_block_bytes(place);
    void *zeros = bytes < SIZE_MAX ? calloc(1, bytes + 1) : NULL;
    int rv = zeros ? ftc_layout_block_write(place, zeros, bytes) : MPI_ERR_NO_MEM;

    free(zeros);
    return rv;
}

/* ---- layouts that native MPI reads ---- */

static bool is_root(const struct ftc_call *call, int rank)
{
    return call->root == rank;
}

/* Returns whether the call is a gather, with counts or without. */
static bool is_gather(const struct ftc_call *call)
{
    return ftc_call_has_root(call->kind) && !ftc_call_comes_from_root(call->kind);
}

bool ftc_layouts_are_sent(const struct ftc_call *call, int rank)
{
    if (ftc_call_comes_from_root(call->kind))
        return is_root(call, rank);
    return call->layouts->send.buffer != MPI_IN_PLACE ||
           (is_gather(call) && !is_root(call, rank)); /* MPI_IN_PLACE is for the root alone */
}

bool ftc_layouts_are_received(const struct ftc_call *call, int rank)
{
    if (is_gather(call))
        return is_root(call, rank);
    return call->layouts->receive.buffer != MPI_IN_PLACE || !ftc_call_comes_from_root(call->kind) ||
           !is_root(call, rank);
}

/* ---- layouts that native MPI accepts ---- */

/* Returns whether native MPI accepts the buffer of block @index. With NULL the displacement may be
 * an absolute address. */
static bool buffer_is_valid(const struct ftc_layout_view *view, int index)
{
    const struct ftc_layout *s = view->layout;

    if (s->buffer == MPI_IN_PLACE)
        return false;
    return ftc_is_buffer(s->buffer, view->facts) ||
           (s->displacements && offset_of(view, index) != 0);
}

static bool block_is_valid(struct ftc_layout_view *view, int index)
{
    const struct ftc_layout *s = view->layout;
    MPI_Count count = ftc_layout_count(s, index);

    if (count <= 0)
        return count == 0;
    return (!s->datatypes || look_at(view, s->datatypes[index])) && buffer_is_valid(view, index);
}

/* Returns true for valid counts of one datatype in a buffer that needs no displacement. The blocks
 * then need no further check. */
static bool is_surely_valid(const struct ftc_layout_view *view, int blocks)
{
    const struct ftc_layout *s = view->layout;
    bool is = !s->datatypes && s->buffer != MPI_IN_PLACE && ftc_is_buffer(s->buffer, view->facts);

    for (int i = 0; is && i < blocks; i++)
        is = ftc_layout_count(s, i) >= 0;
    return is;
}

bool ftc_layout_is_valid(const struct ftc_layout *layout, int blocks)
{
    int looks = layout->counts ? blocks : 1;
    struct ftc_layout_view view;

    if (!ftc_layout_view(&view, layout))
        return false;
    if (is_surely_valid(&view, looks))
        return true;
    for (int i = 0; i < looks; i++)
        if (!block_is_valid(&view, i))
            return false;
    return true;
}

/* Returns whether the block of @rank in @parts begins where @whole does, which is how MPICH checks
 * for overlap. Like MPICH, it computes the beginning from the size of the datatype. */
static bool meet(const struct ftc_layout *whole, const struct ftc_layout *parts, int rank)
{
    ptrdiff_t size = (ptrdiff_t)ftc_predefined_bytes(whole->datatype);
    MPI_Count count = ftc_layout_count(parts, rank);
    MPI_Count elements = parts->displacements
                             ? number_at(parts->displacements, rank, parts->displacements_are_wide)
                             : rank * count;

    return size > 0 && whole->datatype == parts->datatype && whole->count != 0 && count != 0 &&
           (parts->counts || whole->count == count) &&
           (char *)whole->buffer == (char *)parts->buffer + elements * size;
}

static bool are_one(const struct ftc_layouts *s)
{
    return s->send.buffer == s->receive.buffer && s->send.datatype == s->receive.datatype &&
           s->send.datatypes == s->receive.datatypes && s->send.counts == s->receive.counts &&
           (s->send.counts || (s->send.count == s->receive.count && s->send.count != 0));
}

static bool overlap(const struct ftc_call *call, enum ftc_call_kind plain, int rank)
{
    const struct ftc_layouts *s = call->layouts;

    switch (plain) {
    case FTC_CALL_GATHER:
    case FTC_CALL_GATHERV:
    case FTC_CALL_ALLGATHER:
    case FTC_CALL_ALLGATHERV:
        return meet(&s->send, &s->receive, rank);
    case FTC_CALL_SCATTER:
    case FTC_CALL_SCATTERV:
        return meet(&s->receive, &s->send, rank);
    default:
        return are_one(s);
    }
}

/* ---- size of the data ---- */

static size_t times(size_t a, size_t b)
{
    size_t product;

    return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

static size_t bytes_of_block(const struct ftc_layout *layout)
{
    struct ftc_layout_view view;
    struct ftc_layout_block place;

    if (!ftc_layout_view(&view, layout))
        return 0;
    place = ftc_layout_whole(&view);
    return ftc_layout_block_bytes(&place);
}

size_t ftc_layout_bytes(const struct ftc_layout *layout, int blocks)
{
    struct ftc_layout_view view;
    size_t sum = 0;

    if (!ftc_layout_view(&view, layout))
        return 0;
    for (int i = 0; i < blocks; i++) {
        struct ftc_layout_block place = ftc_layout_block(&view, i);

        if (__builtin_add_overflow(sum, ftc_layout_block_bytes(&place), &sum))
            return SIZE_MAX;
    }
    return sum;
}

static size_t bytes_in_all(const struct ftc_call *call, enum ftc_call_kind plain, int rank,
                           int size)
{
    const struct ftc_layouts *s = call->layouts;
    const struct ftc_layout *block = ftc_layouts_are_sent(call, rank) ? &s->send : &s->receive;

    switch (plain) {
    case FTC_CALL_ALLGATHERV:
        return ftc_layout_bytes(&s->receive, size);
    case FTC_CALL_SCATTER:
        block = ftc_layouts_are_received(call, rank) ? &s->receive : &s->send;
        return times((size_t)size, bytes_of_block(block));
    case FTC_CALL_GATHER:
    case FTC_CALL_ALLGATHER:
        return times((size_t)size, bytes_of_block(block));
    case FTC_CALL_ALLTOALL: /* a rank's block for itself does not travel */
        return times((size_t)size * (size_t)(size - 1), bytes_of_block(block));
    default:
        return 0;
    }
}

static bool lacks_counts(const struct ftc_layout *s)
{
    return !s->counts && s->displacements;
}

static bool are_valid(const struct ftc_call *call, int rank, int size, size_t *bytes)
{
    const struct ftc_layouts *s = call->layouts;
    enum ftc_call_kind plain = ftc_call_plain(call->kind);
    bool out = ftc_layouts_are_sent(call, rank), in = ftc_layouts_are_received(call, rank);

    *bytes = 0;
    if ((out && (lacks_counts(&s->send) || !ftc_layout_is_valid(&s->send, size))) ||
        (in && (lacks_counts(&s->receive) || !ftc_layout_is_valid(&s->receive, size))) ||
        (out && in && overlap(call, plain, rank)))
        return false;
    *bytes = bytes_in_all(call, plain, rank, size);
    return true;
}

/* ---- repeated calls ---- */

/* Calls that were valid. They are valid again with equal arguments, because nothing that the
 * arguments name can have changed. A loop may have calls of several kinds, so each kind of call has
 * its entry, which it shares only with kinds of an equal remainder modulo KNOWN. */
enum { KNOWN = 16 };

struct known_layout {
    const void *buffer;
    MPI_Count count;
    MPI_Datatype datatype;
};

static _Thread_local struct known {
    struct known_layout send, receive;
    enum ftc_call_kind kind;
    int root, rank, size;
    size_t bytes; /* data of the call; 0: unused entry */
} known[KNOWN];

static bool is_known_layout(const struct known_layout *k, const struct ftc_layout *s)
{
    return k->buffer == s->buffer && k->count == s->count && k->datatype == s->datatype &&
           !s->counts && !s->displacements && !s->datatypes;
}

static bool is_known(const struct known *k, const struct ftc_call *call, int rank, int size)
{
    return k->bytes > 0 && k->kind == call->kind && k->root == call->root && k->rank == rank &&
           k->size == size && is_known_layout(&k->send, &call->layouts->send) &&
           is_known_layout(&k->receive, &call->layouts->receive);
}

static struct known_layout known_layout(const struct ftc_layout *s)
{
    return (struct known_layout){.buffer = s->buffer, .count = s->count, .datatype = s->datatype};
}

/* Returns whether the layout stays valid as long as its arguments are the same. Its datatype must
 * be predefined, because any other may be freed and its handle be reused. */
static bool is_lasting(const struct ftc_layout *s)
{
    return !s->counts && !s->displacements && !s->datatypes &&
           ftc_predefined_bytes(s->datatype) > 0;
}

bool ftc_layouts_are_valid(const struct ftc_call *call, int rank, int size, size_t *bytes)
{
    const struct ftc_layouts *s = call->layouts;
    struct known *k = &known[call->kind % KNOWN];

    if (is_known(k, call, rank, size)) {
        *bytes = k->bytes;
        return true;
    }
    if (!are_valid(call, rank, size, bytes))
        return false;
    if (is_lasting(&s->send) && is_lasting(&s->receive))
        *k = (struct known){
            .send = known_layout(&s->send),
            .receive = known_layout(&s->receive),
            .kind = call->kind,
            .root = call->root,
            .rank = rank,
            .size = size,
            .bytes = *bytes,
        };
    return true;
}

bool ftc_layouts_sum_counts(const struct ftc_layout *layout, int size, MPI_Count *sum)
{
    *sum = 0;
    for (int i = 0; i < size; i++) {
        MPI_Count count = ftc_layout_count(layout, i);

        if (count < 0 || __builtin_add_overflow(*sum, count, sum))
            return false;
    }
    return true;
}

static bool is_plain(const struct ftc_layout *layout, int blocks)
{
    for (int i = 0; layout->datatypes && i < blocks; i++)
        if (ftc_layout_count(layout, i) != 0 && !ftc_is_packed(layout->datatypes[i]))
            return false;
    return layout->datatypes || ftc_is_packed(layout->datatype);
}

bool ftc_layouts_are_plain(const struct ftc_call *call, int rank, int size)
{
    return (!ftc_layouts_are_sent(call, rank) || is_plain(&call->layouts->send, size)) &&
           (!ftc_layouts_are_received(call, rank) || is_plain(&call->layouts->receive, size));
}
