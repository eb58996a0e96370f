/* inter_roles: what a rank does in a call on an intercommunicator, where what the ranks of one
 * group give is for those of the other, or for its root (MPI 4.0, section 6.2.3). */
#ifndef FTC_VALUE_INTER_ROLES_H
#define FTC_VALUE_INTER_ROLES_H

#include "call/call.h"

/* Whether this rank gives or takes data. A rank beside the root does neither. */
bool ftc_role_gives(const struct ftc_call *call);
bool ftc_role_takes(const struct ftc_call *call);

#endif
