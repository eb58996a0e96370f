/* Where in the program a death was met, as the report names it. */
#include "board/rank_state.h"
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

int main(void)
{
    UNIT_BEGIN("recovery");
    tcase_add_checked_fixture(unit_case, setup, NULL);
    UNIT_TEST(a_blocking_call_has_the_whole_stack);
    UNIT_TEST(a_nonblocking_call_has_its_own_address_alone);
    UNIT_END();
}
