#include "roles.h"

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
    return ftc_call_comes_from_root(plan->call->kind) ? is_root(plan) : has_remote_root(plan);
}

bool ftc_role_takes(const struct ftc_plan *plan)
{
    if (!ftc_call_has_root(plan->call->kind))
        return true;
    return ftc_call_comes_from_root(plan->call->kind) ? has_remote_root(plan) : is_root(plan);
}

bool ftc_role_takes_from(const struct ftc_plan *plan, int from)
{
    int remote = from - plan->comm->remote;

    if (!ftc_role_takes(plan) || remote < 0 || remote >= plan->comm->remote_size)
        return false;
    return !ftc_call_comes_from_root(plan->call->kind) || remote == plan->call->root;
}
