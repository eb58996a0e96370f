/* failure_info: what a process reports to its parent about failures (paper, section "Failure
 * information"), in one of three schemes.
 *
 *     list    processes from which a receive failed, in both phases, merged as a set. A subtree is
 *             unusable when the list names one of its own members.
 *     count   number of failed receives, and the bit.
 *     bit     whether a child in this subtree failed. It is set in the tree phase only. */
#ifndef FTC_ENGINE_FAILURE_INFO_H
#define FTC_ENGINE_FAILURE_INFO_H

#include "topology.h"

#include <stdbool.h>
#include <stdint.h>

/* Most ids of a list. A list that would need more, as after the loss of a host, states only whether
 * a child is missing. */
#define FTC_FAILED_MAX 128

enum ftc_failure_scheme { FTC_FAILURE_LIST, FTC_FAILURE_COUNT, FTC_FAILURE_BIT };

struct ftc_failure_info {
    bool subtree_failed; /* a child in this subtree failed */
    bool overflow;       /* list: there are more ids than FTC_FAILED_MAX */
    int count;
    int32_t id[FTC_FAILED_MAX]; /* list: ranks, each once */
};

/* Records that a receive from @rank failed, in the tree phase if @is_child, else in
 * up-correction. */
void ftc_failure_info_note(struct ftc_failure_info *info, enum ftc_failure_scheme scheme, int rank,
                           bool is_child);

/* Adds to @info what a child reported. */
void ftc_failure_info_merge(struct ftc_failure_info *info, enum ftc_failure_scheme scheme,
                            const struct ftc_failure_info *from);

/* Returns whether the value that came with @info from @subtree of @root may lack a contribution. */
bool ftc_failure_info_is_unusable(const struct ftc_failure_info *info,
                                  enum ftc_failure_scheme scheme, const struct ftc_topology *t,
                                  int root, int subtree);

#endif
