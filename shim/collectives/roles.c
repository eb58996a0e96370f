#include "roles.h"

bool ftc_role_comes_from_root(const struct ftc_plan *plan)
{
    switch (ftc_call_plain(plan->call->kind)) {
    case FTC_CALL_BCAST:
    case FTC_CALL_SCATTER:
    case FTC_CALL_SCATTERV:
        return true;
    default:
        return false;
    }
}

static bool is_root(const struct ftc_plan *plan)
{
    return plan->call->root == MPI_ROOT;
}

static bool has_remote_root(const struct ftc_plan *plan)
{
    return plan->call->root >= 0;
}

bool ftc_role_gives(const struct ftc_plan *plan)
{
    if (!ftc_call_has_root(plan->call->kind))
        return true;
    return ftc_role_comes_from_root(plan) ? is_root(plan) : has_remote_root(plan);
}

bool ftc_role_takes(const struct ftc_plan *plan)
{
    if (!ftc_call_has_root(plan->call->kind))
        return true;
    return ftc_role_comes_from_root(plan) ? has_remote_root(plan) : is_root(plan);
}

bool ftc_role_takes_from(const struct ftc_plan *plan, int from)
{
    int remote = from - plan->comm->remote;

    if (!ftc_role_takes(plan) || remote < 0 || remote >= plan->comm->remote_size)
        return false;
    return !ftc_role_comes_from_root(plan) || remote == plan->call->root;
}
