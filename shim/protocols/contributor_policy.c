#include "contributor_policy.h"

#include "board/board.h"
#include "composite.h"
#include "program/error.h"
#include "progress/running.h"
#include "reporting/record.h"
#include "reporting/required_sites.h"
#include "rounds.h"
#include "value/contributors.h"
#include "value/rank_set.h"

void ftc_contributor_policy_begin(const struct ftc_plan *plan, void *header)
{
    ftc_contributors_begin(
        header, plan->comm->size, plan->comm->rank,
        ftc_required_sites_have(&ftc_library.notice, plan->call->return_address));
}

static uint32_t note_of(const struct ftc_plan *plan)
{
    return ftc_required_sites_have(&ftc_library.notice, plan->call->return_address)
               ? FTC_NOTE_REQUIRES_ALL
               : 0;
}

static bool requires_all(const struct ftc_plan *plan, int rank)
{
    return (ftc_composite_note(plan, rank) & FTC_NOTE_REQUIRES_ALL) != 0;
}

void ftc_contributor_policy_note(const struct ftc_plan *plan, void *value)
{
    struct ftc_block own;
    size_t at = 0;

    if (plan->rounds && !plan->packed) {
        plan->rounds->note = note_of(plan);
        return;
    }
    if (ftc_contributors_are_kept && ftc_blocks_find(value, plan->comm->rank, &at, &own))
        ftc_blocks_note(value, own.data, note_of(plan));
}

/* The setting that wants all ranks in a result. What travels tells whether a call site wants it, on
 * any rank: so all survivors of an allreduce decide alike, wherever they call it from. */
static const char *required_by(const struct ftc_call *call, bool required)
{
    if (ftc_library.settings.require_all & (1 << ftc_operator_of(call->op)))
        return "require_all";
    return required ? "require_all_at" : NULL;
}

static int judge(const struct ftc_plan *plan, int missing, int of, bool required)
{
    const char *setting = required_by(plan->call, required);

    return setting ? ftc_error_incomplete(plan->call, missing, of, setting) : MPI_SUCCESS;
}

int ftc_contributor_policy_look(const struct ftc_plan *plan, const void *contributors)
{
    const struct ftc_comm *c = plan->comm;
    int missing = ftc_contributors_count_missing(contributors, c->size);

    if (missing == 0)
        return MPI_SUCCESS;
    ftc_record_write(&ftc_library.notice, &(struct ftc_record){.call = plan->call,
                                                               .communicator = c->id,
                                                               .size = c->size,
                                                               .rank = c->rank,
                                                               .world = c->world,
                                                               .next_seq = plan->next_seq,
                                                               .contributors = contributors});
    return judge(plan, missing, c->size, ftc_contributors_are_required(contributors));
}

static int look_at_set(const struct ftc_plan *plan, const uint64_t *who, bool required)
{
    uint64_t contributors[FTC_CONTRIBUTORS_WORDS(FTC_BOARD_RANKS_MAX)];

    if (!ftc_contributors_are_kept)
        return MPI_SUCCESS;
    ftc_contributors_set(contributors, plan->comm->size, who, required);
    return ftc_contributor_policy_look(plan, contributors);
}

/* A persistent request has an identity of its own, of which the program knows nothing. */
static void note_for_program(const struct ftc_plan *plan, const uint64_t *who)
{
    uint64_t id = plan->program_comm_id;
    struct ftc_comm *c = id == 0 || id == plan->comm->id ? plan->comm : ftc_comm_find(id);

    if (c) /* it may have been freed */
        ftc_running_note_contributors(c, who);
}

int ftc_contributor_policy_look_at_set(const struct ftc_plan *plan, const uint64_t *who,
                                       bool required)
{
    note_for_program(plan, who);
    return ftc_call_gives_result(plan->call, plan->comm->rank) ? look_at_set(plan, who, required)
                                                               : MPI_SUCCESS;
}

/* Looks at the ranks of the other group; but any rank may require all. Nothing is kept: those ranks
 * have numbers of their own. */
static int look_at_remote(const struct ftc_plan *plan)
{
    const struct ftc_comm *c = plan->comm;
    bool required = note_of(plan) != 0;
    int missing = c->remote_size;
    size_t at = 0;

    for (int rank = 0; rank < c->size; rank++) {
        bool is_remote = rank >= c->remote && rank < c->remote + c->remote_size;

        if (!ftc_composite_find(plan, rank, &at).data)
            continue;
        required |= requires_all(plan, rank);
        missing -= is_remote;
    }
    return missing > 0 ? judge(plan, missing, c->remote_size, required) : MPI_SUCCESS;
}

int ftc_contributor_policy_look_at_blocks(const struct ftc_plan *plan)
{
    bool is_large_reduction = plan->rounds && ftc_call_is_reduction(plan->call->kind);
    uint64_t who[FTC_RANK_SET_WORDS(FTC_BOARD_RANKS_MAX)] = {0};
    bool required = false;
    size_t at = 0;

    if (ftc_plan_is_between(plan))
        return look_at_remote(plan);
    for (int rank = 0; rank < plan->comm->size; rank++) {
        if (!ftc_composite_find(plan, rank, &at).data)
            continue;
        ftc_rank_set_add(who, (uint32_t)rank);
        required |= requires_all(plan, rank);
    }
    return is_large_reduction ? ftc_contributor_policy_look_at_set(plan, who, required)
                              : look_at_set(plan, who, required);
}
