/* interest: which part of what the ranks give matters to this one, of calls that move blocks. */
#ifndef FTC_COLLECTIVES_INTEREST_H
#define FTC_COLLECTIVES_INTEREST_H

#include "collective.h"

/* Whether this rank takes anything out of what that rank gives; what it has for itself may have
 * come directly. Of calls of neighbors, that are known. */
bool ftc_interest_in(const struct ftc_plan *plan, int from);

/* Ranks give letters, one to each that gets something, where sizes differ or data are posted;
 * instead of one block for all that get it. */
bool ftc_interest_is_in_letters(const struct ftc_plan *plan);

#endif
