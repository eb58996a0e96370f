/* failure_info: what a process tells its parent about failures (paper, section "Failure
 * information").
 *
 * list   ids of all processes that a receive failed for, in both phases, merged as a set. A subtree
 * is unusable when the list names one of its own members. count  how many such receives failed, and
 * the bit. bit    whether a child in this subtree failed: set in the tree phase only.
 */
#ifndef FTC_ENGINE_FAILURE_INFO_H
#define FTC_ENGINE_FAILURE_INFO_H

#include "topology.h"

#include <stdbool.h>
#include <stdint.h>

/* A list that is longer, as that of a lost host can be, says only whether a child is missing. */
#define FTC_FAILED_MAX 128

enum ftc_failure_scheme { FTC_FAILURE_LIST, FTC_FAILURE_COUNT, FTC_FAILURE_BIT };

struct ftc_failure_info {
    bool subtree_failed; /* a child in this subtree failed */
    bool overflow;       /* list: there were more than FTC_FAILED_MAX */
    int count;
    int32_t id[FTC_FAILED_MAX]; /* list: ranks, each once */
};

/* A receive from @rank failed; @is_child tells the tree phase from up-correction. */
void ftc_failure_info_note(struct ftc_failure_info *info, enum ftc_failure_scheme scheme, int rank,
                           bool is_child);

/* Adds what a child reported. */
void ftc_failure_info_merge(struct ftc_failure_info *info, enum ftc_failure_scheme scheme,
                            const struct ftc_failure_info *from);

/* Whether the value that came with @info from @subtree of @root lacks something. */
bool ftc_failure_info_is_unusable(const struct ftc_failure_info *info,
                                  enum ftc_failure_scheme scheme, const struct ftc_topology *t,
                                  int root, int subtree);

#endif
