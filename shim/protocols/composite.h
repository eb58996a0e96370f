/* composite: what calls have in common whose value is put together from blocks (value/blocks.h),
 * each made by its owner: who is in the result is agreed on with it. */
#ifndef FTC_PROTOCOLS_COMPOSITE_H
#define FTC_PROTOCOLS_COMPOSITE_H

#include "collective.h"
#include "progress/loop.h"
#include "segments.h"
#include "value/blocks.h"
#include "value/sides.h"

/* For struct ftc_collective, of calls that have sides. */
bool ftc_composite_needs_mpi(const struct ftc_plan *plan);

/* Whether each rank can expose its block (exposed.h), so that heads of blocks alone travel. If a
 * rank lacks room for its own, the value is too large, and the blocks take rounds. A pure function,
 * as the policy: the same on all ranks. */
bool ftc_composite_can_expose(const struct ftc_plan *plan);

/* Makes the plan one of blocks with up to plan->arguments.value_bytes of data in all, or setting
 * max_bytes if that is not known, and returns this rank's value, without blocks; NULL without
 * memory. */
void *ftc_composite_begin(struct ftc_plan *plan);

/* Fills @request for a plan for which ftc_composite_begin() was called. */
void ftc_composite_request(struct ftc_loop_request *request);

/* Whether the ranks together had more data than that, so that there is none. Of a plan of blocks.
 */
bool ftc_composite_is_too_large(const struct ftc_plan *plan);

/* Whether the operation has brought this rank blocks. */
bool ftc_composite_has_result(const struct ftc_plan *plan);

/* The block of @rank; without data if it has given none. The search begins at *at, zero at first,
 * which is fast when ranks are asked for in the order of the blocks. */
struct ftc_piece ftc_composite_find(const struct ftc_plan *plan, int rank, size_t *at);

/* Returns the note of @rank beside its block. */
uint32_t ftc_composite_note(const struct ftc_plan *plan, int rank);

/* Adds no data, but that native MPI is to carry the call out. */
void ftc_composite_refuse(struct ftc_plan *plan, void *value);

/* Whether any rank has said so; the same on all that have the result. */
bool ftc_composite_is_refused(const struct ftc_plan *plan);

/* The most that this rank's block may have; of one that takes rounds the memory for it tells. */
size_t ftc_composite_most(const struct ftc_plan *plan);

/* Adds this rank's block of @bytes to *@value, which may move, and returns where they belong; NULL
 * if that is too much, or more than there is memory for. */
void *ftc_composite_block(struct ftc_plan *plan, void **value, size_t bytes);

/* Adds what is in @place so. Returns an MPI error code. */
int ftc_composite_add(struct ftc_plan *plan, void **value, const struct ftc_place *place);

/* Copies what rank @from sent to @place. Returns an MPI error code, also if it is too much. */
int ftc_composite_deliver(const struct ftc_plan *plan, int from, const struct ftc_place *place,
                          const void *data, size_t bytes);

/* Copies the data of this rank for itself from one of its places to the other. Returns an MPI error
 * code. */
int ftc_composite_copy(const struct ftc_plan *plan, const struct ftc_place *to,
                       const struct ftc_place *from);

/* Fills the place for a dead rank that has given nothing: setting dead_blocks. */
int ftc_composite_deliver_dead(const struct ftc_place *place);

/* The root, who has what the others want, is dead: setting on_dead_root. Returns an MPI error code.
 */
int ftc_composite_without_root(const struct ftc_plan *plan);

/* Returns the first of two codes that is an error. */
static inline int ftc_composite_first_error(int a, int b)
{
    return a != MPI_SUCCESS ? a : b;
}

#endif
