#include "facts.h"

#include <stdlib.h>
#include <string.h>

/* Everything about one predefined type, with each operation. */
struct type_entry {
    MPI_Datatype handle;
    bool used;
    uint32_t valid_ops; /* bit by enum ftc_op_index */
    enum ftc_type_index index;
    struct ftc_facts facts;
};

enum { TABLE_SIZE = 256 };

static struct type_entry table[TABLE_SIZE];
static MPI_Comm alone = MPI_COMM_NULL; /* this process, errors returned */

static const MPI_Op op_handles[FTC_OP_INDICES] = {
#define FTC_OP(handle, index) [FTC_OP_##index] = handle,
#include "ops.def"
#undef FTC_OP
};

/* An allreduce of nothing by this process alone: MPI checks its arguments and does no more. */
static bool is_accepted(MPI_Datatype datatype, MPI_Op op)
{
    char nothing;

    return PMPI_Allreduce(MPI_IN_PLACE, &nothing, 0, datatype, op, alone) == MPI_SUCCESS;
}

static void ask_layout(MPI_Datatype datatype, struct ftc_facts *facts)
{
    MPI_Aint lb;
    MPI_Count size;

    PMPI_Type_size_x(datatype, &size);
    PMPI_Type_get_extent(datatype, &lb, &facts->extent);
    PMPI_Type_get_true_extent(datatype, &facts->true_lb, &facts->true_extent);
    facts->contiguous = size == facts->extent && size == facts->true_extent;
}

static struct type_entry *entry_of(MPI_Datatype handle)
{
    uint32_t i = (uint32_t)handle * 0x9e3779b1u >> 24;

    while (table[i % TABLE_SIZE].used && table[i % TABLE_SIZE].handle != handle)
        i++;
    return &table[i % TABLE_SIZE];
}

static void add_type(MPI_Datatype handle, enum ftc_type_index index)
{
    struct type_entry *e = entry_of(handle);

    if (handle == MPI_DATATYPE_NULL || e->used)
        return;
    *e = (struct type_entry){.handle = handle, .used = true, .index = index};
    ask_layout(handle, &e->facts);
    e->facts.commutative = true;
    for (int op = 0; op < FTC_OP_INDICES; op++)
        if (is_accepted(handle, op_handles[op]))
            e->valid_ops |= 1u << op;
}

int ftc_facts_open(void)
{
    if (PMPI_Comm_dup(MPI_COMM_SELF, &alone) != MPI_SUCCESS ||
        PMPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN) != MPI_SUCCESS)
        return -1;
#define FTC_TYPE(handle, element) add_type(handle, FTC_TYPE_##handle);
#include "types.def"
#undef FTC_TYPE
    return 0;
}

static int op_index(MPI_Op op)
{
    for (int i = 0; i < FTC_OP_INDICES; i++)
        if (op_handles[i] == op)
            return i;
    return -1;
}

/* A datatype or operation of the program's own. */
static bool ask(MPI_Datatype datatype, MPI_Op op, struct ftc_facts *facts)
{
    int commutative;

    if (datatype == MPI_DATATYPE_NULL || op == MPI_OP_NULL || op == MPI_REPLACE ||
        op == MPI_NO_OP || !is_accepted(datatype, op) ||
        PMPI_Op_commutative(op, &commutative) != MPI_SUCCESS)
        return false;
    ask_layout(datatype, facts);
    facts->commutative = commutative != 0;
    facts->kernel = NULL;
    return true;
}

bool ftc_facts(MPI_Datatype datatype, MPI_Op op, struct ftc_facts *facts)
{
    const struct type_entry *e = entry_of(datatype);
    int index = op_index(op);

    if (!e->used || index < 0)
        return ask(datatype, op, facts);
    *facts = e->facts;
    facts->kernel = ftc_combine_kernel((enum ftc_op_index)index, e->index);
    return (e->valid_ops & 1u << index) != 0;
}

size_t ftc_span_bytes(const struct ftc_facts *facts, MPI_Count count)
{
    MPI_Aint stride = facts->extent < 0 ? -facts->extent : facts->extent;

    return (size_t)(facts->true_extent + (count - 1) * stride);
}

ptrdiff_t ftc_span_start(const struct ftc_facts *facts, MPI_Count count)
{
    return facts->true_lb + (facts->extent < 0 ? (count - 1) * facts->extent : 0);
}

void ftc_span_read(void *span, const void *buffer, MPI_Count count, const struct ftc_facts *facts)
{
    memcpy(span, (const char *)buffer + ftc_span_start(facts, count), ftc_span_bytes(facts, count));
}

int ftc_span_write(void *buffer, const void *span, MPI_Count count, MPI_Datatype datatype,
                   const struct ftc_facts *facts)
{
    const char *source = (const char *)span - ftc_span_start(facts, count);
    void *packed;
    int size, position = 0, rv;

    if (facts->contiguous) {
        memcpy((char *)buffer + ftc_span_start(facts, count), span, ftc_span_bytes(facts, count));
        return MPI_SUCCESS;
    }
    PMPI_Pack_size((int)count, datatype, alone, &size);
    packed = malloc((size_t)size);
    if (!packed)
        return MPI_ERR_NO_MEM;
    rv = PMPI_Pack(source, (int)count, datatype, packed, size, &position, alone);
    size = position;
    position = 0;
    if (rv == MPI_SUCCESS)
        rv = PMPI_Unpack(packed, size, &position, buffer, (int)count, datatype, alone);
    free(packed);
    return rv;
}
