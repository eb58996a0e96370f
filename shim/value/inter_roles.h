/* inter_roles: role of a rank in a call on an intercommunicator. There the data of the ranks of one
 * group are for those of the other group, or for its root (MPI 4.0, section 6.2.3). */
#ifndef FTC_VALUE_INTER_ROLES_H
#define FTC_VALUE_INTER_ROLES_H

#include "call/call.h"

/* Returns whether this rank gives data. A rank that is in the root's group, but not the root,
 * neither gives nor takes any. */
bool ftc_role_gives(const struct ftc_call *call);

/* Returns whether this rank takes data. */
bool ftc_role_takes(const struct ftc_call *call);

#endif
