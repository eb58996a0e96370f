/* layout: where the blocks of a call are in the program's memory, for what it sends and for what it
 * receives; and whether native MPI would reject that. */
#ifndef FTC_VALUE_LAYOUT_H
#define FTC_VALUE_LAYOUT_H

#include "call/call.h"
#include "datatype.h"

/* A layout whose datatype has been looked at. The layout stays where it is. */
struct ftc_layout_view {
    const struct ftc_layout *layout;
    const struct ftc_facts *facts; /* of all blocks, or with datatypes[] of the last asked for */
    struct ftc_facts derived;      /* of a datatype that is not predefined */
};

/* One block in the program's memory. */
struct ftc_place {
    char *address;
    MPI_Count count;
    const struct ftc_facts *facts; /* of the view, if there are elements; until the next question */
};

/* False if native MPI rejects the datatype: then each place has no data. */
bool ftc_layout_view(struct ftc_layout_view *view, const struct ftc_layout *layout);

/* Block @index. */
struct ftc_place ftc_layout_place(struct ftc_layout_view *view, int index);

/* Data of @blocks of them, packed; 0 if native MPI rejects the datatype. */
size_t ftc_layout_bytes(const struct ftc_layout *layout, int blocks);

/* Its count alone. */
MPI_Count ftc_layout_count(const struct ftc_layout *layout, int index);

/* The buffer as one block, where the call has no more than one in this layout. */
struct ftc_place ftc_layout_whole(struct ftc_layout_view *view);

/* Data of a place, packed; SIZE_MAX if there cannot be as much. */
size_t ftc_place_bytes(const struct ftc_place *place);

/* Return an MPI error code. Less than all of @place is given by ftc_place_write(), as a message may
 * be shorter than its receiver allows. */
int ftc_place_read(void *packed, const struct ftc_place *place);
int ftc_place_write(const struct ftc_place *place, const void *packed, size_t bytes);
int ftc_place_zero(const struct ftc_place *place);

/* Whether native MPI finds nothing wrong with a layout that it looks at, which has @blocks, if it
 * has counts for them. */
bool ftc_layout_is_valid(const struct ftc_layout *layout, int blocks);

/* Whether native MPI, at @rank of @size, finds nothing wrong with the layouts of @call. Sets
 * bytes of data in the operation, of all ranks, where all know them; else 0. */
bool ftc_layouts_are_valid(const struct ftc_call *call, int rank, int size, size_t *bytes);

/* Whether @rank sends, and receives, what the layout of @call describes: native MPI reads no other
 * layout. */
bool ftc_layouts_are_sent(const struct ftc_call *call, int rank);
bool ftc_layouts_are_received(const struct ftc_call *call, int rank);

/* The elements of a call that combines, which has the counts of what is received. */
bool ftc_layouts_sum_counts(const struct ftc_layout *layout, int size, MPI_Count *sum);

/* Whether none of the datatypes that matter to @rank needs calls into MPI. */
bool ftc_layouts_are_plain(const struct ftc_call *call, int rank, int size);

#endif
