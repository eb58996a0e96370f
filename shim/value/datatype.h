/* datatype: what the library must know of a call's datatype and operation, asked of MPI.
 *
 * Predefined datatypes and operations are looked up in a table that is filled in MPI_Init; all
 * others cost a few local calls into MPI. An argument that MPI rejects is found out without the
 * program's error handler: the question is put on a private communicator of this process alone,
 * whose errors return. What natively crashes instead of being rejected crashes here too.
 *
 * A value travels as its SPAN: the memory from the lowest to the highest byte of its elements, gaps
 * included. Gaps of a sender are not read, but zero; gaps of a receiver are not written.
 */
#ifndef FTC_VALUE_DATATYPE_H
#define FTC_VALUE_DATATYPE_H

#include "kernels.h"
#include "mpi/mpi_library.h"

#include <stdbool.h>

struct ftc_facts {
    MPI_Datatype datatype;
    enum ftc_type_class type_class;
    bool contiguous; /* elements in an array have no gaps: the span may be used in place */
    bool commutative;
    ftc_combine_fn kernel; /* NULL: PMPI_Reduce_local */
    size_t size_bytes;
    ptrdiff_t extent_bytes; /* may be negative */
    ptrdiff_t true_lb_bytes;
    size_t true_extent_bytes;
};

/* Between MPI_Init and MPI_Finalize; thread-safe in between. Returns an MPI error code. */
int ftc_facts_open(void);
void ftc_facts_close(void);

/* False if native MPI rejects @datatype, for instance because it is not committed, or @op, or @op
 * on
 * @datatype; also for combinations that MPI forbids and MPICH does not reject, but aborts in: they
 * are native MPI's to deal with. */
bool ftc_facts(MPI_Datatype datatype, MPI_Op op, struct ftc_facts *facts);

/* The same for a call without an operation; says nothing of operations. */
bool ftc_facts_of_type(MPI_Datatype datatype, struct ftc_facts *facts);

/* The same without a copy, unless they have to be asked for: then they are in @room. NULL: native
 * MPI rejects @datatype. */
const struct ftc_facts *ftc_facts_at(MPI_Datatype datatype, struct ftc_facts *room);

/* The private communicator. Messages on it need a tag above 0. */
MPI_Comm ftc_comm_of_this_process(void);

/* Another one; to be freed by the caller. MPI_COMM_NULL if MPI refuses. */
MPI_Comm ftc_other_comm_of_this_process(void);

/* False for what native MPI rejects as the handle of a communicator, or of a group. */
bool ftc_is_comm(MPI_Comm comm);
bool ftc_is_group(MPI_Group group);

/* False for what cannot be the handle of an error handler, or of information, which may be
 * MPI_INFO_NULL. */
bool ftc_is_error_handler(MPI_Errhandler handler);
bool ftc_is_info(MPI_Info info);

/* False for what cannot be the handle of a window. True also for one that is freed: each question
 * about a window that native MPI is asked has its error go to the program's handler. */
bool ftc_is_win(MPI_Win win);

/* Data in the order of its type map, without gaps; SIZE_MAX if there cannot be as much. Ranks
 * that give the same data come to the same, whatever their datatypes. */
bool ftc_facts_are_packed(const struct ftc_facts *facts); /* memory is so as it stands */
size_t ftc_packed_bytes(const struct ftc_facts *facts, MPI_Count count);
int ftc_pack(void *packed, const void *buffer, MPI_Count count, const struct ftc_facts *facts);
int ftc_unpack(void *buffer, const void *packed, MPI_Count count, const struct ftc_facts *facts);

/* From elements of one datatype to those of another, which have room. */
int ftc_transfer(void *to, MPI_Count to_count, const struct ftc_facts *to_facts, const void *from,
                 MPI_Count from_count, const struct ftc_facts *from_facts);

/* The first @bytes of them, which are no more than all. */
int ftc_unpack_some(void *buffer, const void *packed, size_t bytes, MPI_Count count,
                    const struct ftc_facts *facts);

/* Whether elements of a buffer are where the datatype says: NULL is MPI_BOTTOM. */
static inline bool ftc_is_bottom(const void *buffer, const struct ftc_facts *facts)
{
    return !buffer && facts->type_class == FTC_TYPE_DERIVED && facts->true_lb_bytes != 0;
}

/* False for what native MPI rejects as a buffer, MPI_IN_PLACE aside. */
static inline bool ftc_is_buffer(const void *buffer, const struct ftc_facts *facts)
{
    bool is_empty = facts->type_class == FTC_TYPE_DERIVED && facts->size_bytes == 0;

    return buffer || is_empty || ftc_is_bottom(buffer, facts);
}

/* Whether elements lie in memory as they are packed, so that no call into MPI is needed. */
bool ftc_is_packed(MPI_Datatype datatype);

/* Size of a predefined datatype in bytes; 0 for all others. */
size_t ftc_predefined_bytes(MPI_Datatype datatype);

/* FTC_OPERATOR_OTHER for what the program made. */
enum ftc_operator ftc_operator_of(MPI_Op op);

/* Whether elements are combined, or copied as spans, by calls into MPI. Of ftc_facts(). */
bool ftc_facts_need_mpi(const struct ftc_facts *facts);

/* "MPI_INT", "MPI_SUM"; for what the program made, "derived datatype" and "user operation". The
 * handle may be another rank's. */
const char *ftc_datatype_name(MPI_Datatype datatype);
const char *ftc_operation_name(MPI_Op op);

/* The *@bytes of packed elements, from malloc(); NULL: without memory, or native MPI is to say what
 * is wrong. */
void *ftc_packed_copy(const void *buffer, MPI_Count count, MPI_Datatype datatype, MPI_Count *bytes);

/* Offset of the span of @count elements from the address that MPI calls are given, a multiple of
 * 16: a span in aligned memory keeps the alignment that its elements have in an aligned buffer.
 * With a span at s, MPI calls are given s - ftc_span_start(). In bytes. */
ptrdiff_t ftc_span_start(const struct ftc_facts *facts, MPI_Count count);

/* Length of the span; SIZE_MAX if there cannot be as much. */
size_t ftc_span_bytes(const struct ftc_facts *facts, MPI_Count count);

/* Copy between the program's @buffer, which may be anything if there is nothing to copy, and a
 * span, whose length is not SIZE_MAX. Return an MPI error code; they cannot fail for contiguous and
 * predefined datatypes. */
int ftc_span_read(void *span, const void *buffer, MPI_Count count, const struct ftc_facts *facts);
int ftc_span_write(void *buffer, const void *span, MPI_Count count, const struct ftc_facts *facts);

/* The same for elements @first to @first + @count - 1 of the span of @span_count. */
int ftc_span_write_part(void *buffer, const void *span, MPI_Count first, MPI_Count count,
                        MPI_Count span_count, const struct ftc_facts *facts);

#endif
