/* row: what one rank has for each of the others, as one block. Where all pieces have one size they
 * stand in the order of the ranks; else each that is not empty is a letter, with its receiver and
 * its length. What a rank has for itself is not in it. */
#ifndef FTC_COLLECTIVES_ROW_H
#define FTC_COLLECTIVES_ROW_H

#include "composite.h"

/* Adds the row of this rank, with the pieces of @side, as ftc_composite_block(). Returns an MPI
 * error code. */
int ftc_row_add(struct ftc_plan *plan, void **value, const struct ftc_side *side);

/* Delivers the piece for this rank, in the row of rank @from, to @place; without a row it is that
 * of a dead rank. Returns an MPI error code. */
int ftc_row_deliver(const struct ftc_plan *plan, struct ftc_piece row, int from,
                    const struct ftc_place *place);

/* Copies the data of this rank for itself. Returns an MPI error code. */
int ftc_row_deliver_own(const struct ftc_plan *plan);

#endif
