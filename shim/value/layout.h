/* layout: places of a call's blocks in the program's memory, for what it sends and for what it
 * receives, and checks whether native MPI would reject them. */
#ifndef FTC_VALUE_LAYOUT_H
#define FTC_VALUE_LAYOUT_H

#include "call/call.h"
#include "datatype.h"

/* Layout and the facts of its datatype. The layout must stay in place. */
struct ftc_layout_view {
    const struct ftc_layout *layout;
    const struct ftc_facts *facts; /* of all blocks; with datatypes[] of the block asked for last */
    struct ftc_facts derived;      /* room for facts of a datatype that is not predefined */
};

/* Block in the program's memory. */
struct ftc_layout_block {
    char *address;
    MPI_Count count;
    const struct ftc_facts *facts; /* valid if count > 0, until the next ftc_layout_block() */
};

/* Sets up @view. Returns false if native MPI rejects the datatype: each block then has no data. */
bool ftc_layout_view(struct ftc_layout_view *view, const struct ftc_layout *layout);

/* Returns block @index. */
struct ftc_layout_block ftc_layout_block(struct ftc_layout_view *view, int index);

/* Returns the packed size of the first @blocks blocks in bytes; SIZE_MAX if it is too large; 0 if
 * native MPI rejects the datatype. */
size_t ftc_layout_bytes(const struct ftc_layout *layout, int blocks);

/* Returns the number of elements of block @index. */
MPI_Count ftc_layout_count(const struct ftc_layout *layout, int index);

/* Returns the buffer as one block, for calls that have at most one block in this layout. */
struct ftc_layout_block ftc_layout_whole(struct ftc_layout_view *view);

/* Returns the packed size of a block in bytes; SIZE_MAX if no memory can hold as much. */
size_t ftc_layout_block_bytes(const struct ftc_layout_block *place);

/* Packs the data of @place into @packed. Returns an MPI error code. */
int ftc_layout_block_read(void *packed, const struct ftc_layout_block *place);

/* Unpacks @bytes from @packed into @place. They may be fewer than @place has room for, because a
 * message may be shorter than its receiver allows. Returns an MPI error code. */
int ftc_layout_block_write(const struct ftc_layout_block *place, const void *packed, size_t bytes);

/* Sets the data of @place to zero. Returns an MPI error code. */
int ftc_layout_block_zero(const struct ftc_layout_block *place);

/* Returns whether native MPI accepts a layout that it reads. @blocks: number of blocks, if the
 * layout has a count for each. */
bool ftc_layout_is_valid(const struct ftc_layout *layout, int blocks);

/* Returns whether native MPI, at @rank of @size ranks, accepts the layouts of @call. Sets *@bytes
 * to the bytes of data in the operation, of all ranks together, if all ranks know them, else to
 * 0. */
bool ftc_layouts_are_valid(const struct ftc_call *call, int rank, int size, size_t *bytes);

/* Returns whether @rank sends what the send layout of @call describes. If not, native MPI does not
 * read that layout. */
bool ftc_layouts_are_sent(const struct ftc_call *call, int rank);

/* As above, but for what @rank receives and the receive layout. */
bool ftc_layouts_are_received(const struct ftc_call *call, int rank);

/* Sets *@sum to the elements of a call that combines them and has a count for each receiver.
 * Returns false if a count is negative or the sum overflows. */
bool ftc_layouts_sum_counts(const struct ftc_layout *layout, int size, MPI_Count *sum);

/* Returns whether @rank needs no calls into MPI to copy the data of @call. */
bool ftc_layouts_are_plain(const struct ftc_call *call, int rank, int size);

#endif
