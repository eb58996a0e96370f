/* datatype: facts that the library needs about a call's datatype and operation, obtained from MPI.
 *
 * Predefined datatypes and operations are looked up in a table that is filled in MPI_Init. All
 * others cost a few local calls into MPI. An argument that MPI rejects is found without the
 * program's error handler: the query uses a private communicator of this process alone, whose
 * errors return. Arguments that natively crash instead of being rejected crash here too.
 *
 * A value travels as its SPAN: the memory from the lowest to the highest byte of its elements,
 * including gaps. The gaps of a sender are not read, but sent as zeros. The gaps of a receiver are
 * not written. */
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
    ftc_combine_fn kernel; /* NULL: PMPI_Reduce_local() combines */
    size_t size_bytes;
    ptrdiff_t extent_bytes; /* may be negative */
    ptrdiff_t true_lb_bytes;
    size_t true_extent_bytes;
};

/* Makes the private communicator and fills the table, in MPI_Init. Until ftc_facts_close() the
 * other functions may be called by any thread. Returns an MPI error code. */
int ftc_facts_open(void);

/* Frees the private communicator and empties the table, in MPI_Finalize. */
void ftc_facts_close(void);

/* Sets *@facts for @datatype and @op. Returns false if native MPI rejects @datatype (for instance
 * because it is not committed), @op, or @op on @datatype. Returns false also for combinations that
 * MPI forbids but MPICH does not reject: MPICH aborts in them, and native MPI must carry them
 * out. */
bool ftc_facts(MPI_Datatype datatype, MPI_Op op, struct ftc_facts *facts);

/* As above, but for a call without an operation. The facts do not cover operations. */
bool ftc_facts_of_type(MPI_Datatype datatype, struct ftc_facts *facts);

/* As above, but returns the facts without a copy. If MPI had to be asked for them, they are in
 * @room. Returns NULL if native MPI rejects @datatype. */
const struct ftc_facts *ftc_facts_at(MPI_Datatype datatype, struct ftc_facts *room);

/* Returns the private communicator. Messages on it need a tag above 0. */
MPI_Comm ftc_comm_of_this_process(void);

/* Returns a new communicator like the private one, which the caller must free. Returns
 * MPI_COMM_NULL if MPI returns an error. */
MPI_Comm ftc_other_comm_of_this_process(void);

/* Returns whether native MPI accepts @comm as the handle of a communicator. */
bool ftc_is_comm(MPI_Comm comm);

/* As above, but for the handle of a group. */
bool ftc_is_group(MPI_Group group);

/* Returns false if @handler cannot be the handle of an error handler. */
bool ftc_is_error_handler(MPI_Errhandler handler);

/* Returns false if @info cannot be the handle of an info object. Returns true for MPI_INFO_NULL. */
bool ftc_is_info(MPI_Info info);

/* Returns false if @win cannot be the handle of a window. Returns true also for a freed window,
 * because a query about it would report its error to the program's handler. */
bool ftc_is_win(MPI_Win win);

/* Packed data are in the order of their type map, without gaps. Ranks that give the same data pack
 * the same bytes, whatever their datatypes. */

/* Returns whether elements in memory are packed as they stand. */
bool ftc_facts_are_packed(const struct ftc_facts *facts);

/* Returns the packed size of @count elements in bytes; SIZE_MAX if no memory can hold as much. */
size_t ftc_packed_bytes(const struct ftc_facts *facts, MPI_Count count);

/* Packs @count elements of @buffer. Returns an MPI error code. */
int ftc_pack(void *packed, const void *buffer, MPI_Count count, const struct ftc_facts *facts);

/* Unpacks @count elements into @buffer. Returns an MPI error code. */
int ftc_unpack(void *buffer, const void *packed, MPI_Count count, const struct ftc_facts *facts);

/* Copies elements of one datatype to elements of another, which must have room for them. Returns an
 * MPI error code. */
int ftc_transfer(void *to, MPI_Count to_count, const struct ftc_facts *to_facts, const void *from,
                 MPI_Count from_count, const struct ftc_facts *from_facts);

/* Unpacks the first @bytes, which are at most those of @count elements. Returns an MPI error
 * code. */
int ftc_unpack_some(void *buffer, const void *packed, size_t bytes, MPI_Count count,
                    const struct ftc_facts *facts);

/* Returns whether @buffer is MPI_BOTTOM, that is NULL with a datatype that has the addresses of its
 * elements. */
static inline bool ftc_is_bottom(const void *buffer, const struct ftc_facts *facts)
{
    return !buffer && facts->type_class == FTC_TYPE_DERIVED && facts->true_lb_bytes != 0;
}

/* Returns whether native MPI accepts @buffer for elements. Returns true for MPI_IN_PLACE, which the
 * caller must judge. */
static inline bool ftc_is_buffer(const void *buffer, const struct ftc_facts *facts)
{
    bool is_empty = facts->type_class == FTC_TYPE_DERIVED && facts->size_bytes == 0;

    return buffer || is_empty || ftc_is_bottom(buffer, facts);
}

/* Returns whether elements lie in memory as they are packed, so that no call into MPI is needed. */
bool ftc_is_packed(MPI_Datatype datatype);

/* Returns the size of a predefined datatype in bytes; 0 for all others. */
size_t ftc_predefined_bytes(MPI_Datatype datatype);

/* Returns the predefined operator @op; FTC_OPERATOR_OTHER for an operation of the program. */
enum ftc_operator ftc_operator_of(MPI_Op op);

/* Returns whether it takes calls into MPI to combine elements or to copy them as spans. @facts must
 * be those of ftc_facts(). */
bool ftc_facts_need_mpi(const struct ftc_facts *facts);

/* Returns a name such as "MPI_INT", or "derived datatype" for a datatype of the program. The handle
 * may be another rank's. */
const char *ftc_datatype_name(MPI_Datatype datatype);

/* As above, but for an operation: "MPI_SUM", or "user operation". */
const char *ftc_operation_name(MPI_Op op);

/* Returns a packed copy of the elements, of *@bytes bytes, from malloc(). The caller must free it.
 * Returns NULL if there is no memory, or if native MPI must report an error in the arguments. */
void *ftc_packed_copy(const void *buffer, MPI_Count count, MPI_Datatype datatype, MPI_Count *bytes);

/* Returns the offset in bytes of the span of @count elements from the address that MPI calls are
 * given. It is a multiple of 16, so that a span in aligned memory keeps the alignment that its
 * elements have in an aligned buffer. For a span at s, MPI calls are given s - ftc_span_start(). */
ptrdiff_t ftc_span_start(const struct ftc_facts *facts, MPI_Count count);

/* Returns the length of the span in bytes; SIZE_MAX if no memory can hold as much. */
size_t ftc_span_bytes(const struct ftc_facts *facts, MPI_Count count);

/* Copies elements from the program's @buffer to a span, whose gaps become zero. If there is nothing
 * to copy, @buffer may be anything. The length of the span must not be SIZE_MAX. Returns an MPI
 * error code. Cannot fail for contiguous and predefined datatypes. */
int ftc_span_read(void *span, const void *buffer, MPI_Count count, const struct ftc_facts *facts);

/* As above, but copies from a span to the program's @buffer, whose gaps are not written. */
int ftc_span_write(void *buffer, const void *span, MPI_Count count, const struct ftc_facts *facts);

/* As above, but copies elements @first to @first + @count - 1 of a span of @span_count elements to
 * the beginning of @buffer. */
int ftc_span_write_part(void *buffer, const void *span, MPI_Count first, MPI_Count count,
                        MPI_Count span_count, const struct ftc_facts *facts);

#endif
