/* contributor_policy: contributors to the result of a call that combines elements, and consequences
 * of missing ones: settings record_file, require_all and require_all_at. */
#ifndef FTC_PROTOCOLS_CONTRIBUTOR_POLICY_H
#define FTC_PROTOCOLS_CONTRIBUTOR_POLICY_H

#include "collective.h"

/* Returns the note that travels with this rank's data: FTC_BLOCK_REQUIRES_ALL if require_all_at
 * names the call site, else 0. */
uint32_t ftc_contributor_policy_note(const struct ftc_plan *plan);

/* Checks the contributors of a result. If ranks are missing, records that in record_file. Returns
 * an MPI error code: an error if ranks are missing and require_all or require_all_at forbids
 * that. */
int ftc_contributor_policy_look(const struct ftc_plan *plan, const void *contributors);

/* As above, for the blocks that @plan has taken. On an intercommunicator checks the other group and
 * records nothing. */
int ftc_contributor_policy_look_at_blocks(const struct ftc_plan *plan);

/* As above, for the set of ranks @who in a large reduction. Also stores the set, which the program
 * may query (include/ftcoll.h). @required: require_all_at names the call site of some rank. */
int ftc_contributor_policy_look_at_set(const struct ftc_plan *plan, const uint64_t *who,
                                       bool required);

#endif
