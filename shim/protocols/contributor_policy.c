#include "contributor_policy.h"

#include "board/board.h"
#include "program/error.h"
#include "progress/running.h"
#include "reporting/record.h"
#include "reporting/required_sites.h"
#include "value/contributors.h"
#include "value/rank_set.h"

uint32_t ftc_contributor_policy_note(const struct ftc_plan *plan)
{
    return ftc_contributors_are_kept &&
                   ftc_required_sites_meet(&ftc_library.notice, plan->call->return_address)
               ? FTC_BLOCK_REQUIRES_ALL
               : 0;
}

/* Returns an MPI error code: an error if a setting forbids that @missing of @of ranks are missing.
 * @required travels with the data and holds if the call site of any rank requires all. All
 * survivors of an allreduce thus return the same, even if they call it from different places. */
static int judge(const struct ftc_plan *plan, int missing, int of, bool required)
{
    const struct ftc_call *call = plan->call;

    if (ftc_library.settings.require_all & (1 << ftc_operator_of(call->op)))
        return ftc_error_incomplete(call, missing, of, "require_all");
    return required ? ftc_error_incomplete(call, missing, of, "require_all_at") : MPI_SUCCESS;
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

/* Stores the contributors where the program queries them: with the communicator that it named. A
 * persistent request has a communicator identity of its own, which the program does not know. */
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

/* Counts missing blocks of all ranks, or on an intercommunicator of the other group. Any rank may
 * require all. On an intercommunicator records nothing, because the ranks of the other group have
 * their own numbers. */
int ftc_contributor_policy_look_at_blocks(const struct ftc_plan *plan)
{
    const struct ftc_comm *c = plan->comm;
    bool is_large_reduction = plan->is_large && ftc_call_is_reduction(plan->call->kind);
    uint64_t who[FTC_RANK_SET_WORDS(FTC_BOARD_RANKS_MAX)] = {0};
    bool required = plan->is_inter && ftc_contributor_policy_note(plan) != 0;
    int missing = c->remote_size;
    size_t at = 0;

    for (int rank = 0; rank < c->size; rank++) {
        struct ftc_piece block = ftc_find(plan, rank, &at);

        if (!block.data)
            continue;
        ftc_rank_set_add(who, (uint32_t)rank);
        required |= (block.note & FTC_BLOCK_REQUIRES_ALL) != 0;
        missing -= rank >= c->remote && rank < c->remote + c->remote_size;
    }
    if (plan->is_inter)
        return missing > 0 ? judge(plan, missing, c->remote_size, required) : MPI_SUCCESS;
    return is_large_reduction ? ftc_contributor_policy_look_at_set(plan, who, required)
                              : look_at_set(plan, who, required);
}
