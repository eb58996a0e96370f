#include "datatype.h"

#include "system/copy.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_BITS = 8, TABLE_SIZE = 1 << TABLE_BITS, SPAN_ALIGNMENT = 16 };
enum { SAMPLES = 5, SAMPLES_BYTES = SAMPLES * SAMPLES * sizeof(uint64_t) };

struct entry {
    bool used;
    struct ftc_facts facts; /* without those of an operation */
    ftc_combine_fn kernel[FTC_OPERATOR_COUNT];
};

/* Predefined datatypes, with open addressing. ftc_facts_open() alone fills the table. */
static struct entry table[TABLE_SIZE];

/* Communicator of this process alone, whose errors return. The lock is there because MPI allows
 * only one collective call at a time on a communicator. */
static MPI_Comm self = MPI_COMM_NULL;
static pthread_mutex_t self_lock = PTHREAD_MUTEX_INITIALIZER;

static bool groups_are_checked; /* whether native MPI rejects invalid groups */

/* Returns the entry of @datatype, or the free entry where it belongs. */
static struct entry *find(MPI_Datatype datatype)
{
    uint32_t i = ((uint32_t)datatype * 0x9e3779b1u) >> (32 - TABLE_BITS);

    while (table[i].used && table[i].facts.datatype != datatype)
        i = (i + 1) % TABLE_SIZE;
    return &table[i];
}

enum ftc_operator ftc_operator_of(MPI_Op op)
{
    switch (op) {
#define FTC_OPERATOR(name)                                                                         \
    case MPI_##name:                                                                               \
        return FTC_OPERATOR_##name;
#include "operators.def"
#undef FTC_OPERATOR
    default:
        return FTC_OPERATOR_OTHER;
    }
}

const char *ftc_operation_name(MPI_Op op)
{
    static const char *const name[] = {
#define FTC_OPERATOR(name) [FTC_OPERATOR_##name] = "MPI_" #name,
#include "operators.def"
#undef FTC_OPERATOR
        [FTC_OPERATOR_OTHER] = "user operation",
    };

    return name[ftc_operator_of(op)];
}

const char *ftc_datatype_name(MPI_Datatype datatype)
{
#define FTC_DATATYPE(handle, class)                                                                \
    if (datatype == (handle))                                                                      \
        return #handle;
#include "datatypes.def"
#undef FTC_DATATYPE
    return "derived datatype";
}

/* Asks MPI about @datatype, which must be valid. Returns false if MPI returns an error. */
static bool measure(MPI_Datatype datatype, enum ftc_type_class type_class, struct ftc_facts *facts)
{
    MPI_Count size;
    MPI_Aint lb, extent, true_lb, true_extent;

    if (PMPI_Type_size_x(datatype, &size) != MPI_SUCCESS ||
        PMPI_Type_get_extent(datatype, &lb, &extent) != MPI_SUCCESS ||
        PMPI_Type_get_true_extent(datatype, &true_lb, &true_extent) != MPI_SUCCESS)
        return false;
    facts->datatype = datatype;
    facts->type_class = type_class;
    facts->commutative = true;
    facts->kernel = NULL;
    facts->size_bytes = (size_t)size;
    facts->extent_bytes = extent;
    facts->true_lb_bytes = true_lb;
    facts->true_extent_bytes = (size_t)true_extent;
    facts->contiguous =
        size == extent && size == true_extent && true_lb % SPAN_ALIGNMENT == 0 && size > 0;
    return true;
}

/* Fills two arrays with elements of @size bytes, so that each pair of the numbers 0, -1, 1, 2 and
 * the lowest signed one occurs once. */
static void fill_samples(unsigned char *from, unsigned char *into, size_t size)
{
    for (size_t i = 0; i < SAMPLES * SAMPLES; i++, from += size, into += size) {
        unsigned char *element[] = {from, into};
        size_t number[] = {i / SAMPLES, i % SAMPLES};

        for (int k = 0; k < 2; k++) {
            memset(element[k], number[k] == 1 ? 0xff : 0, size);
            element[k][0] |= number[k] == 2 ? 1 : number[k] == 3 ? 2 : 0;
            element[k][size - 1] |= number[k] == 4 ? 0x80 : 0;
        }
    }
}

/* Returns whether MPI accepts @op on @datatype, by a reduction of no elements. */
static bool is_accepted(MPI_Op op, MPI_Datatype datatype)
{
    int rv, nothing;

    pthread_mutex_lock(&self_lock);
    rv = PMPI_Allreduce(MPI_IN_PLACE, &nothing, 0, datatype, op, self);
    pthread_mutex_unlock(&self_lock);
    return rv == MPI_SUCCESS;
}

/* Returns whether @kernel gives the bits of native MPI. MPI_Reduce_local reports errors to the
 * handler of MPI_COMM_WORLD, so it must not be called with an operation that MPI does not accept.
 * MPICH 5, for instance, does not accept logical operations on Fortran's integers. */
static bool is_native(MPI_Datatype datatype, size_t size, MPI_Op op, ftc_combine_fn kernel)
{
    unsigned char from[SAMPLES_BYTES], ours[SAMPLES_BYTES], native[SAMPLES_BYTES];

    fill_samples(from, ours, size);
    memcpy(native, ours, SAMPLES * SAMPLES * size);
    kernel(ours, from, SAMPLES * SAMPLES);
    return is_accepted(op, datatype) &&
           PMPI_Reduce_local(from, native, SAMPLES * SAMPLES, datatype, op) == MPI_SUCCESS &&
           memcmp(ours, native, SAMPLES * SAMPLES * size) == 0;
}

/* Removes the kernels of @e that do not give what native MPI gives. MPI libraries differ in
 * integers: the number of .TRUE. depends on the Fortran compiler with which they were configured,
 * and MPICH 4.0.2 (its issue 6083) compares unsigned numbers as signed ones in MPI_MIN and
 * MPI_MAX. */
static void drop_kernels_unlike_native(struct entry *e)
{
    static const MPI_Op operators[] = {
#define FTC_OPERATOR(name) MPI_##name,
#include "operators.def"
#undef FTC_OPERATOR
    };

    for (int i = 0; i < FTC_OPERATOR_COUNT; i++)
        if (e->kernel[i] &&
            !is_native(e->facts.datatype, e->facts.size_bytes, operators[i], e->kernel[i]))
            e->kernel[i] = NULL;
}

static bool is_integer(enum ftc_type_class type_class)
{
    return type_class == FTC_TYPE_SIGNED || type_class == FTC_TYPE_UNSIGNED ||
           type_class == FTC_TYPE_LOGICAL || type_class == FTC_TYPE_BYTE;
}

static void add(MPI_Datatype datatype, enum ftc_type_class type_class)
{
    struct entry *e = find(datatype);

    if (datatype == MPI_DATATYPE_NULL || e->used || !measure(datatype, type_class, &e->facts))
        return;
    e->used = true;
    memcpy(e->kernel, ftc_combine_kernels(type_class, e->facts.size_bytes), sizeof e->kernel);
    if (is_integer(type_class))
        drop_kernels_unlike_native(e);
}

/* Returns the error class of a call with @group and a wrong tag. MPICH checks the tag last, so the
 * class is MPI_ERR_TAG if the group is valid. */
static int reject(MPI_Group group)
{
    enum { WRONG_TAG = -1 };
    MPI_Comm none;
    int class;

    PMPI_Error_class(PMPI_Comm_create_group(self, group, WRONG_TAG, &none), &class);
    return class;
}

int ftc_facts_open(void)
{
    int rv = PMPI_Comm_dup(MPI_COMM_SELF, &self);

    if (rv == MPI_SUCCESS)
        rv = PMPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
    if (rv != MPI_SUCCESS)
        return rv;
    groups_are_checked = reject(MPI_GROUP_EMPTY) == MPI_ERR_TAG;
#define FTC_DATATYPE(handle, class) add(handle, FTC_TYPE_##class);
#include "datatypes.def"
#undef FTC_DATATYPE
    return MPI_SUCCESS;
}

void ftc_facts_close(void)
{
    memset(table, 0, sizeof table);
    if (self != MPI_COMM_NULL)
        PMPI_Comm_free(&self);
}

/* Returns whether MPICH may accept @op on such elements and then abort. It accepts logical
 * operations on floating point and every operation on 16-bit floating point, and aborts in some of
 * them when it combines an element. */
static bool may_abort(enum ftc_type_class type_class, enum ftc_operator op)
{
    bool logical = op == FTC_OPERATOR_LAND || op == FTC_OPERATOR_LOR || op == FTC_OPERATOR_LXOR;

    if (type_class == FTC_TYPE_HALF)
        return op != FTC_OPERATOR_OTHER;
    return logical && (type_class == FTC_TYPE_FLOATING || type_class == FTC_TYPE_QUAD);
}

/* Returns whether @op is a predefined operation that the library does not know, such as MPIX_EQUAL
 * of MPICH 4.2, whose result is not of the datatype. */
static bool is_unknown_predefined(MPI_Op op, enum ftc_operator predefined)
{
    return predefined == FTC_OPERATOR_OTHER && (unsigned)op >> 30 == 1;
}

/* Asks MPI whether it accepts @op, and whether @op is commutative. Returns false if native MPI must
 * carry the call out. */
static bool ask(MPI_Op op, enum ftc_operator predefined, struct ftc_facts *facts)
{
    int commutative = 1;

    if (may_abort(facts->type_class, predefined) || is_unknown_predefined(op, predefined) ||
        !is_accepted(op, facts->datatype))
        return false;
    if (predefined == FTC_OPERATOR_OTHER && PMPI_Op_commutative(op, &commutative) != MPI_SUCCESS)
        return false;
    facts->commutative = commutative != 0;
    return true;
}

size_t ftc_predefined_bytes(MPI_Datatype datatype)
{
    const struct entry *e = find(datatype);

    return e->used ? e->facts.size_bytes : 0;
}

const struct ftc_facts *ftc_facts_at(MPI_Datatype datatype, struct ftc_facts *room)
{
    const struct entry *e = find(datatype);
    int bytes;

    if (e->used)
        return &e->facts;
    /* the cheapest call that takes a datatype and a communicator and checks both */
    return PMPI_Pack_size(0, datatype, self, &bytes) == MPI_SUCCESS &&
                   measure(datatype, FTC_TYPE_DERIVED, room)
               ? room
               : NULL;
}

bool ftc_facts_of_type(MPI_Datatype datatype, struct ftc_facts *facts)
{
    const struct ftc_facts *found = ftc_facts_at(datatype, facts);

    if (found && found != facts)
        *facts = *found;
    return found != NULL;
}

bool ftc_facts(MPI_Datatype datatype, MPI_Op op, struct ftc_facts *facts)
{
    const struct entry *e = find(datatype);
    enum ftc_operator predefined = ftc_operator_of(op);

    if (!ftc_facts_of_type(datatype, facts))
        return false;
    if (e->used && predefined != FTC_OPERATOR_OTHER)
        facts->kernel = e->kernel[predefined];
    return facts->kernel || ask(op, predefined, facts);
}

/* Returns whether @handle may be a handle of the same kind of object as @valid. In MPICH the bits
 * of a handle state that, and whether it is invalid. MPICH checks these bits before it finds the
 * communicator whose error handler gets the error, so it must not be given another handle. */
static bool is_like(int handle, int valid)
{
    const unsigned object = 0x3c000000, kind = 0xc0000000;

    return ((unsigned)(handle ^ valid) & object) == 0 && ((unsigned)handle & kind) != 0;
}

MPI_Comm ftc_comm_of_this_process(void)
{
    return self;
}

MPI_Comm ftc_other_comm_of_this_process(void)
{
    MPI_Comm made;
    int rv;

    pthread_mutex_lock(&self_lock);
    rv = PMPI_Comm_dup(self, &made);
    pthread_mutex_unlock(&self_lock);
    return rv == MPI_SUCCESS ? made : MPI_COMM_NULL;
}

bool ftc_is_comm(MPI_Comm comm)
{
    int result;

    return is_like(comm, MPI_COMM_WORLD) && PMPI_Comm_compare(self, comm, &result) == MPI_SUCCESS;
}

/* Relies on the bits of the handle if the MPI library was built without checks of arguments. */
bool ftc_is_group(MPI_Group group)
{
    return is_like(group, MPI_GROUP_EMPTY) &&
           (!groups_are_checked || reject(group) != MPI_ERR_GROUP);
}

bool ftc_is_error_handler(MPI_Errhandler handler)
{
    return is_like(handler, MPI_ERRHANDLER_NULL);
}

bool ftc_is_info(MPI_Info info)
{
    return info == MPI_INFO_NULL || is_like(info, MPI_INFO_NULL);
}

bool ftc_is_win(MPI_Win win)
{
    return is_like(win, MPI_WIN_NULL);
}

size_t ftc_packed_bytes(const struct ftc_facts *facts, MPI_Count count)
{
    size_t bytes;

    if (facts->size_bytes == 0)
        return 0;
    if (__builtin_mul_overflow((size_t)count, facts->size_bytes, &bytes) || bytes > PTRDIFF_MAX / 2)
        return SIZE_MAX;
    return bytes;
}

/* Returns false for every derived datatype, because even one without gaps may have its elements in
 * another order. */
bool ftc_facts_are_packed(const struct ftc_facts *facts)
{
    return facts->contiguous && facts->type_class != FTC_TYPE_DERIVED;
}

/* Sends elements from this process to itself. PMPI_Pack() would do the same, but rejects
 * MPI_BOTTOM. */
static int transfer(const void *from, MPI_Count from_count, MPI_Datatype from_type, void *to,
                    MPI_Count to_count, MPI_Datatype to_type)
{
    int rv;

    pthread_mutex_lock(&self_lock);
    rv = PMPI_Sendrecv_c(from, from_count, from_type, 0, 0, to, to_count, to_type, 0, 0, self,
                         MPI_STATUS_IGNORE);
    pthread_mutex_unlock(&self_lock);
    return rv;
}

int ftc_pack(void *packed, const void *buffer, MPI_Count count, const struct ftc_facts *facts)
{
    size_t bytes = ftc_packed_bytes(facts, count);

    if (bytes > 0 && !ftc_facts_are_packed(facts))
        return transfer(buffer, count, facts->datatype, packed, (MPI_Count)bytes, MPI_PACKED);
    if (bytes > 0)
        ftc_copy(packed, buffer, bytes);
    return MPI_SUCCESS;
}

int ftc_transfer(void *to, MPI_Count to_count, const struct ftc_facts *to_facts, const void *from,
                 MPI_Count from_count, const struct ftc_facts *from_facts)
{
    size_t bytes = ftc_packed_bytes(from_facts, from_count);

    if (bytes == 0)
        return MPI_SUCCESS;
    if (!ftc_facts_are_packed(from_facts) || !ftc_facts_are_packed(to_facts))
        return transfer(from, from_count, from_facts->datatype, to, to_count, to_facts->datatype);
    memcpy(to, from, bytes);
    return MPI_SUCCESS;
}

int ftc_unpack(void *buffer, const void *packed, MPI_Count count, const struct ftc_facts *facts)
{
    return ftc_unpack_some(buffer, packed, ftc_packed_bytes(facts, count), count, facts);
}

int ftc_unpack_some(void *buffer, const void *packed, size_t bytes, MPI_Count count,
                    const struct ftc_facts *facts)
{
    if (bytes > 0 && !ftc_facts_are_packed(facts))
        return transfer(packed, (MPI_Count)bytes, MPI_PACKED, buffer, count, facts->datatype);
    if (bytes > 0)
        memcpy(buffer, packed, bytes);
    return MPI_SUCCESS;
}

/* Packs without PMPI_Pack(), which in MPICH 4.0 rejects MPI_BOTTOM, and which would call the error
 * handler before native MPI does. */
void *ftc_packed_copy(const void *buffer, MPI_Count count, MPI_Datatype datatype, MPI_Count *bytes)
{
    struct ftc_facts facts;
    size_t size;
    void *copy;

    if (count < 0 || !ftc_facts_of_type(datatype, &facts) ||
        (count > 0 && !ftc_is_buffer(buffer, &facts)))
        return NULL;
    size = ftc_packed_bytes(&facts, count);
    copy = size < SIZE_MAX ? malloc(size + 1) : NULL;
    *bytes = (MPI_Count)size;
    if (!copy || ftc_pack(copy, buffer, count, &facts) == MPI_SUCCESS)
        return copy;
    free(copy);
    return NULL;
}

bool ftc_is_packed(MPI_Datatype datatype)
{
    const struct entry *e = find(datatype);

    return e->used && ftc_facts_are_packed(&e->facts);
}

ptrdiff_t ftc_span_start(const struct ftc_facts *facts, MPI_Count count)
{
    ptrdiff_t lowest = facts->true_lb_bytes;

    if (facts->extent_bytes < 0 && count > 1) /* the last element is the lowest */
        lowest += (count - 1) * facts->extent_bytes;
    return lowest & -SPAN_ALIGNMENT;
}

size_t ftc_span_bytes(const struct ftc_facts *facts, MPI_Count count)
{
    ptrdiff_t extent = facts->extent_bytes, step = extent < 0 ? -extent : extent, rest, highest;

    if (count <= 0 || facts->size_bytes == 0)
        return 0;
    if (__builtin_mul_overflow(count - 1, step, &rest) ||
        __builtin_add_overflow(rest, (ptrdiff_t)facts->true_extent_bytes, &highest) ||
        highest > PTRDIFF_MAX / 2)
        return SIZE_MAX;
    highest = facts->true_lb_bytes + (ptrdiff_t)facts->true_extent_bytes + (extent < 0 ? 0 : rest);
    return (size_t)(highest - ftc_span_start(facts, count));
}

/* Copies pairs that have a gap. The index is an int at the end of the true extent. */
static void copy_pairs(void *to, const void *from, MPI_Count count, const struct ftc_facts *facts)
{
    size_t value_bytes = facts->size_bytes - sizeof(int);
    size_t index_offset = facts->true_extent_bytes - sizeof(int);

    for (MPI_Count i = 0; i < count; i++) {
        unsigned char *t = (unsigned char *)to + i * facts->extent_bytes;
        const unsigned char *f = (const unsigned char *)from + i * facts->extent_bytes;

        memcpy(t, f, value_bytes);
        memcpy(t + index_offset, f + index_offset, sizeof(int));
    }
}

static bool are_pairs(const struct ftc_facts *facts)
{
    return facts->type_class == FTC_TYPE_SIGNED_PAIR || facts->type_class == FTC_TYPE_FLOATING_PAIR;
}

bool ftc_facts_need_mpi(const struct ftc_facts *facts)
{
    return !facts->kernel || !(facts->contiguous || are_pairs(facts));
}

/* Copies elements and leaves gaps alone. */
static int copy_elements(void *to, const void *from, MPI_Count count, const struct ftc_facts *facts)
{
    int rv;

    if (are_pairs(facts)) {
        copy_pairs(to, from, count, facts);
        return MPI_SUCCESS;
    }
    pthread_mutex_lock(&self_lock);
    rv = PMPI_Gather_c(from, count, facts->datatype, to, count, facts->datatype, 0, self);
    pthread_mutex_unlock(&self_lock);
    return rv;
}

int ftc_span_read(void *span, const void *buffer, MPI_Count count, const struct ftc_facts *facts)
{
    ptrdiff_t start = ftc_span_start(facts, count);
    size_t bytes = ftc_span_bytes(facts, count);

    if (bytes == 0) /* and @buffer may be anything */
        return MPI_SUCCESS;
    if (facts->contiguous) {
        ftc_copy(span, (const char *)buffer + start, bytes);
        return MPI_SUCCESS;
    }
    memset(span, 0, bytes);
    return copy_elements((char *)span - start, buffer, count, facts);
}

int ftc_span_write(void *buffer, const void *span, MPI_Count count, const struct ftc_facts *facts)
{
    return ftc_span_write_part(buffer, span, 0, count, count, facts);
}

int ftc_span_write_part(void *buffer, const void *span, MPI_Count first, MPI_Count count,
                        MPI_Count span_count, const struct ftc_facts *facts)
{
    const char *elements = (const char *)span - ftc_span_start(facts, span_count) +
                           (ptrdiff_t)first * facts->extent_bytes;
    ptrdiff_t start = ftc_span_start(facts, count);
    size_t bytes = ftc_span_bytes(facts, count);

    if (bytes == 0)
        return MPI_SUCCESS;
    if (facts->contiguous) {
        memcpy((char *)buffer + start, elements + start, bytes);
        return MPI_SUCCESS;
    }
    return copy_elements(buffer, elements, count, facts);
}
