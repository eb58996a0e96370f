/* contributor_policy: who is in the result of a call that combines, and what is done about ranks
 * that are not: settings record_file, require_all and require_all_at. */
#ifndef FTC_PROTOCOLS_CONTRIBUTOR_POLICY_H
#define FTC_PROTOCOLS_CONTRIBUTOR_POLICY_H

#include "collective.h"

/* Returns the note of this rank beside what it gives. */
uint32_t ftc_contributor_policy_note(const struct ftc_plan *plan);

/* Look at the contributors of a result. Return an MPI error code if ranks are missing and a setting
 * forbids that. */
int ftc_contributor_policy_look(const struct ftc_plan *plan, const void *contributors);
int ftc_contributor_policy_look_at_blocks(const struct ftc_plan *plan);

/* Looks at the ranks in the set @who, of a large reduction, and keeps them for the program to ask.
 * @required: the call site of some rank requires all. */
int ftc_contributor_policy_look_at_set(const struct ftc_plan *plan, const uint64_t *who,
                                       bool required);

#endif
