/* Whether the result of a call that moves blocks may lack those of dead ranks. */
#include "program/error.h"
#include "protocols/contributor_policy.h"
#include "reporting/record.h"
#include "unit.h"
#include "value/contributors.h"

#include <string.h>

enum { RANKS = 4, DEAD = 1, NOBODY = RANKS, INCOMPLETE = 17 };

struct ftc_library ftc_library;

static int requires_all, dead; /* ranks, or NOBODY */

/* ---- the blocks of a result ---- */

static struct ftc_piece find(const struct ftc_plan *plan, int rank, size_t *at)
{
    static const char data[1];

    (void)plan;
    (void)at;
    return (struct ftc_piece){
        .data = rank == dead ? NULL : data,
        .bytes = rank == dead ? 0 : sizeof data,
        .note = rank == requires_all ? FTC_BLOCK_REQUIRES_ALL : 0,
    };
}

/* ---- what becomes of one that is incomplete ---- */

int ftc_error_incomplete(const struct ftc_call *call, int missing, int of, const char *setting)
{
    (void)call;
    ck_assert_int_eq(missing, 1);
    ck_assert_int_eq(of, RANKS);
    ck_assert_str_eq(setting, "require_all_at");
    return INCOMPLETE;
}

void ftc_record_write(const struct ftc_notice *n, const struct ftc_record *r)
{
    (void)n;
    ck_assert_int_eq(ftc_contributors_have(r->contributors, DEAD), false);
}

/* Returns the error of a scan at one of the ranks. */
static int look(void)
{
    struct ftc_comm c = {.size = RANKS};
    struct ftc_call call = {.kind = FTC_CALL_SCAN, .op = MPI_SUM};
    struct ftc_plan plan = {.call = &call, .comm = &c, .find = find};

    ftc_contributors_open(true);
    return ftc_contributor_policy_look_at_blocks(&plan);
}

START_TEST(any_rank_may_require_all)
{
    requires_all = _i;
    dead = DEAD;
    ck_assert_int_eq(look(), _i == DEAD || _i == NOBODY ? MPI_SUCCESS : INCOMPLETE);
}
END_TEST

START_TEST(a_complete_result_is_what_is_required)
{
    requires_all = 0;
    dead = NOBODY;
    ck_assert_int_eq(look(), MPI_SUCCESS);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("contributor_policy");
    tcase_add_loop_test(unit_case, any_rank_may_require_all, 0, RANKS + 1);
    UNIT_TEST(a_complete_result_is_what_is_required);
    UNIT_END();
}
