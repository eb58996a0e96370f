#include "failure_info.h"

static void add_id(struct ftc_failure_info *info, int rank)
{
    for (int i = 0; i < info->count; i++)
        if (info->id[i] == rank)
            return;
    if (info->count == FTC_FAILED_MAX)
        info->overflow = true;
    else
        info->id[info->count++] = rank;
}

void ftc_failure_info_note(struct ftc_failure_info *info, enum ftc_failure_scheme scheme, int rank,
                           bool is_child)
{
    switch (scheme) {
    case FTC_FAILURE_LIST:
        add_id(info, rank);
        info->subtree_failed |= is_child;
        break;
    case FTC_FAILURE_COUNT:
        info->count++;
        info->subtree_failed |= is_child;
        break;
    case FTC_FAILURE_BIT:
        info->subtree_failed |= is_child;
        break;
    }
}

void ftc_failure_info_merge(struct ftc_failure_info *info, enum ftc_failure_scheme scheme,
                            const struct ftc_failure_info *from)
{
    info->subtree_failed |= from->subtree_failed;
    info->overflow |= from->overflow;
    if (scheme == FTC_FAILURE_COUNT)
        info->count += from->count;
    if (scheme != FTC_FAILURE_LIST)
        return;
    for (int i = 0; i < from->count; i++)
        add_id(info, from->id[i]);
}

static __attribute__((noinline)) bool names_member(const struct ftc_failure_info *info,
                                                   const struct ftc_topology *t, int root,
                                                   int subtree)
{
    for (int i = 0; i < info->count; i++) {
        int vrank = ftc_topology_vrank(t, root, info->id[i]);

        if (vrank >= 1 && ftc_topology_subtree(t, vrank) == subtree)
            return true;
    }
    return false;
}

bool ftc_failure_info_is_unusable(const struct ftc_failure_info *info,
                                  enum ftc_failure_scheme scheme, const struct ftc_topology *t,
                                  int root, int subtree)
{
    if (scheme != FTC_FAILURE_LIST)
        return info->subtree_failed;
    if (info->overflow)
        return info->subtree_failed;
    return info->count > 0 && names_member(info, t, root, subtree);
}
