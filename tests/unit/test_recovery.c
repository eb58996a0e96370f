/* Where in the program a death was met, as the report names it. */
#include "board/rank_state.h"
#include "board/recovery_record.h"
#include "progress/recovery.h"
#include "progress/running.h"
#include "unit_board.h"

#include <signal.h>

enum { SELF, DEAD, RANKS, DEPTH = 3 };

struct ftc_library ftc_library;

static const char in_program, in_wait; /* return addresses */

/* The stack of whichever call the program is in by now. */
void ftc_callsite_capture(const void *return_address, int depth, struct ftc_stack *stack)
{
    (void)return_address;
    ck_assert_int_ge(depth, DEPTH);
    stack->depth = DEPTH;
    for (int i = 0; i < DEPTH; i++)
        stack->address[i] = (void *)(uintptr_t)&in_wait;
}

static void setup(void)
{
    ftc_library.board = unit_board(unit_geometry(RANKS, 8));
    ftc_library.world_rank = SELF;
    ftc_library.settings.report = FTC_REPORT_FULL;
    ck_assert_int_eq(ftc_recovery_open(), 0);
}

/* The site of a death that is met in a call of @kind. */
static const struct ftc_stack *site_in(enum ftc_call_kind kind)
{
    struct ftc_call call = {.kind = kind, .return_address = &in_program};
    struct ftc_running running = {.call = &call, .mismatched = -1};
    struct ftc_comm c = {.id = 1, .size = RANKS, .rank = SELF, .running = &running};

    ftc_board_mark_failed(&ftc_library.board, DEAD, FTC_DEATH_SIGNAL, SIGKILL);
    ftc_recovery_begin(&c, DEAD);
    ftc_recovery_end(&c, false);
    return ftc_recovery_site(DEAD);
}

START_TEST(a_blocking_call_has_the_whole_stack)
{
    ck_assert_int_eq(site_in(FTC_CALL_ALLREDUCE)->depth, DEPTH);
}
END_TEST

/* The program has left the call, and may be in any other one. */
START_TEST(a_nonblocking_call_has_its_own_address_alone)
{
    const struct ftc_stack *site = site_in(FTC_CALL_IALLREDUCE);

    ck_assert_int_eq(site->depth, 1);
    ck_assert_ptr_eq(site->address[0], &in_program);
}
END_TEST

/* ---- which operation has missed a rank ---- */

static const struct ftc_call allreduce = {.kind = FTC_CALL_ALLREDUCE};
static struct ftc_failure_info failed;
static struct ftc_running running;
static int32_t members[RANKS] = {SELF, DEAD};
static uint32_t worlds[RANKS] = {SELF, DEAD};
static struct ftc_comm comm;

static void begin_allreduces(void)
{
    ftc_board_mark_failed(&ftc_library.board, DEAD, FTC_DEATH_SIGNAL, SIGKILL);
    failed = (struct ftc_failure_info){0};
    running = (struct ftc_running){.call = &allreduce, .mismatched = -1};
    running.op.config.kind = FTC_OP_ALLREDUCE;
    running.op.config.failure_scheme = FTC_FAILURE_LIST;
    running.op.result = (struct ftc_result){.verdict = FTC_VERDICT_VALUE, .failed = &failed};
    comm = (struct ftc_comm){.id = 1,
                             .size = RANKS,
                             .rank = SELF,
                             .member = members,
                             .member_count = RANKS,
                             .world = worlds,
                             .seq = 20,
                             .deaths_seen = 1,
                             .running = &running};
}

/* Its result names @count dead members. */
static void end_allreduce(int count)
{
    failed.count = count;
    failed.id[0] = DEAD;
    comm.seq++;
    ftc_recovery_end(&comm, false);
}

static bool is_missed_in(uint32_t seq, struct ftc_recovery_record *record)
{
    return ftc_recovery_record_read(&ftc_library.board, DEAD, record) && record->met_in.seq == seq;
}

START_TEST(an_operation_with_the_dead_ranks_part_has_not_missed_it)
{
    struct ftc_recovery_record record;
    uint64_t when_ns;

    begin_allreduces();
    ftc_recovery_begin(&comm, DEAD);
    end_allreduce(0);
    ck_assert(!ftc_recovery_record_read(&ftc_library.board, DEAD, &record));
    ck_assert(!ftc_recovery_record_is_settled(&ftc_library.board, 1, &when_ns));
    ftc_recovery_begin(&comm, DEAD);
    end_allreduce(1);
    ck_assert(is_missed_in(21, &record));
    ck_assert_uint_ne(record.recovered_ns, 0);
    ck_assert_uint_eq(ftc_board_deaths(&ftc_library.board), 1);
}
END_TEST

START_TEST(the_result_tells_a_rank_of_a_death_that_it_has_not_noticed)
{
    struct ftc_recovery_record record;

    begin_allreduces();
    end_allreduce(1);
    ck_assert(is_missed_in(20, &record));
    ck_assert_uint_ne(record.recovered_ns, 0);
}
END_TEST

/* Another rank has met the death in an operation before. */
START_TEST(the_end_of_a_later_operation_is_not_the_recovery)
{
    struct ftc_operation_id before = {1, FTC_CALL_ALLREDUCE, 19};
    struct ftc_recovery_record record;

    begin_allreduces();
    ftc_recovery_record_notice(&ftc_library.board, DEAD, SELF, &before);
    end_allreduce(1);
    ck_assert(is_missed_in(19, &record));
    ck_assert_uint_eq(record.recovered_ns, 0);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("recovery");
    tcase_add_checked_fixture(unit_case, setup, NULL);
    UNIT_TEST(a_blocking_call_has_the_whole_stack);
    UNIT_TEST(a_nonblocking_call_has_its_own_address_alone);
    UNIT_TEST(an_operation_with_the_dead_ranks_part_has_not_missed_it);
    UNIT_TEST(the_result_tells_a_rank_of_a_death_that_it_has_not_noticed);
    UNIT_TEST(the_end_of_a_later_operation_is_not_the_recovery);
    UNIT_END();
}
