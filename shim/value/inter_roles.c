#include "inter_roles.h"

static bool is_root(const struct ftc_call *call)
{
    return call->root == MPI_ROOT;
}

static bool has_remote_root(const struct ftc_call *call)
{
    return call->root >= 0;
}

bool ftc_role_gives(const struct ftc_call *call)
{
    if (!ftc_call_has_root(call->kind))
        return true;
    return ftc_call_comes_from_root(call->kind) ? is_root(call) : has_remote_root(call);
}

bool ftc_role_takes(const struct ftc_call *call)
{
    if (!ftc_call_has_root(call->kind))
        return true;
    return ftc_call_comes_from_root(call->kind) ? has_remote_root(call) : is_root(call);
}
