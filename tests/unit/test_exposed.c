/* What a rank exposes on the board stays there until all others have read it. */
#include "board/publication.h"
#include "progress/execute.h"
#include "progress/mismatch.h"
#include "progress/queue.h"
#include "progress/recovery.h"
#include "progress/running.h"
#include "progress/unexpected.h"
#include "protocols/exposed.h"
#include "protocols/packed.h"
#include "unit.h"

#include <string.h>

enum { MAX_BYTES = 4096, OTHER_ID = 99 };

static struct ftc_call call = {.kind = FTC_CALL_BCAST};
static struct ftc_plan plan = {.call = &call};

static void open_board(void)
{
    struct ftc_board_geometry g = {
        .ranks = 2,
        .entries = 4,
        .entry_stride_bytes = ftc_publication_stride(FTC_TRANSPORT_VALUE_BYTES_MIN),
        .multicast_bytes = FTC_BOARD_MULTICAST_BYTES,
        .ring_depth = 16,
        .message_stride_bytes = ftc_transport_message_stride(FTC_TRANSPORT_VALUE_BYTES_MIN),
        .exposed_bytes = MAX_BYTES,
    };

    ck_assert_int_eq(ftc_board_create(&ftc_library.board, &g), 0);
    ck_assert_int_eq(ftc_transport_open(&ftc_library.transport, &ftc_library.board, 0), 0);
    ck_assert_int_eq(ftc_unexpected_open(g.ranks, g.message_stride_bytes), 0);
    ck_assert_int_eq(ftc_recovery_open(), 0);
}

/* A communicator of this rank alone, so that its operations end at once. */
static void setup(void)
{
    struct ftc_settings_error error;

    ck_assert_int_eq(ftc_settings_parse_buffer("", 0, &ftc_library.settings, &error), 0);
    ftc_library.world_size = 1;
    open_board();
    ck_assert_int_eq(ftc_comm_open(&ftc_queue_comm_callbacks), 0);
    plan.comm = ftc_comm_internal();
    ck_assert_ptr_nonnull(plan.comm);
}

static void carry_out(enum ftc_op_kind kind)
{
    static const unsigned char value[8];
    struct ftc_loop_request request = {
        .call = &call, .kind = kind, .value_bytes = sizeof value, .contribution = value};

    ftc_mismatch_enter(&call, plan.comm, 1);
    ck_assert_int_eq(ftc_execute(plan.comm, &request), FTC_LOOP_DONE);
    ftc_mismatch_leave();
}

static unsigned char *expose(struct ftc_plan *p, size_t bytes)
{
    uint32_t exposed = 0;
    unsigned char *room = ftc_exposed_room(p, bytes, &exposed);

    ck_assert_int_eq(exposed != 0, room != NULL);
    return room;
}

/* Each another one. */
static void show_all(struct ftc_plan *p)
{
    unsigned char *room[FTC_BOARD_EXPOSED];

    for (int i = 0; i < FTC_BOARD_EXPOSED; i++) {
        room[i] = expose(p, MAX_BYTES);
        ck_assert_ptr_nonnull(room[i]);
        memset(room[i], i, MAX_BYTES);
    }
    for (int i = 0; i < FTC_BOARD_EXPOSED; i++)
        ck_assert_int_eq(room[i][MAX_BYTES - 1], i);
}

/* Their own operation ends before others have read. */
static void expect_free_after_a_later_one(void)
{
    show_all(&plan);
    ck_assert_ptr_null(expose(&plan, MAX_BYTES));
    carry_out(FTC_OP_ALLREDUCE);
    ck_assert_ptr_null(expose(&plan, MAX_BYTES));
    carry_out(FTC_OP_ALLREDUCE);
    show_all(&plan);
}

START_TEST(a_place_is_free_when_a_later_operation_of_all_has_ended)
{
    expect_free_after_a_later_one();
}
END_TEST

START_TEST(so_it_is_when_the_numbers_of_operations_start_again)
{
    plan.comm->seq = UINT32_MAX;
    plan.comm->ended = UINT32_MAX;
    expect_free_after_a_later_one();
    ck_assert_uint_eq(plan.comm->ended, 0);
}
END_TEST

/* Whoever is not its root ends it without the others. */
START_TEST(the_end_of_a_reduce_frees_none)
{
    show_all(&plan);
    carry_out(FTC_OP_ALLREDUCE);
    carry_out(FTC_OP_REDUCE);
    carry_out(FTC_OP_REDUCE);
    ck_assert_ptr_null(expose(&plan, MAX_BYTES));
}
END_TEST

/* So does everybody when there are more failures than f. */
START_TEST(an_operation_without_a_value_frees_none)
{
    struct ftc_op *op = &plan.comm->running->op;
    uint32_t ended;

    carry_out(FTC_OP_ALLREDUCE);
    ended = plan.comm->ended;
    op->result.verdict = FTC_VERDICT_EXCESS;
    plan.comm->running->active = true;
    ftc_loop_end(plan.comm);
    ck_assert_uint_eq(plan.comm->ended, ended);
}
END_TEST

START_TEST(others_may_still_be_in_a_communicator_that_is_freed_here)
{
    const struct ftc_board *board = &ftc_library.board;
    struct ftc_comm freed = *plan.comm;
    struct ftc_plan of_freed = {.call = &call, .comm = &freed};

    freed.id = OTHER_ID;
    for (uint32_t rank = 0; rank < 2; rank++)
        ftc_publication_open(board, rank, 3, OTHER_ID);
    show_all(&of_freed);
    ftc_publication_free(board, 0, 3);
    ck_assert_ptr_null(expose(&plan, MAX_BYTES));
    ftc_publication_free(board, 1, 3);
    show_all(&plan);
}
END_TEST

START_TEST(what_is_small_or_taken_later_travels)
{
    struct ftc_packed packed = {0};

    ck_assert_ptr_null(expose(&plan, 8));
    ck_assert_ptr_null(expose(&plan, MAX_BYTES + 1));
    plan.packed = &packed;
    ck_assert_ptr_null(expose(&plan, MAX_BYTES));
    plan.packed = NULL;
    call.kind = FTC_CALL_GATHER; /* a reduce */
    ck_assert_ptr_null(expose(&plan, MAX_BYTES));
    call.kind = FTC_CALL_BCAST;
    ck_assert_ptr_nonnull(expose(&plan, MAX_BYTES));
}
END_TEST

START_TEST(others_find_what_a_rank_shows_and_nothing_else)
{
    uint32_t exposed = 0;
    unsigned char *room = ftc_exposed_room(&plan, MAX_BYTES, &exposed);

    ck_assert_ptr_eq(ftc_exposed_find(&plan, 0, MAX_BYTES, exposed).data, room);
    ck_assert_uint_eq(ftc_exposed_find(&plan, 0, MAX_BYTES, exposed).bytes, MAX_BYTES);
    ck_assert_ptr_null(ftc_exposed_find(&plan, 0, MAX_BYTES + 1, exposed).data);
    ck_assert_ptr_null(ftc_exposed_find(&plan, 0, MAX_BYTES, 0).data);
    ck_assert_ptr_null(ftc_exposed_find(&plan, 0, MAX_BYTES, FTC_BOARD_EXPOSED + 1).data);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("exposed");
    tcase_add_checked_fixture(unit_case, setup, NULL);
    UNIT_TEST(a_place_is_free_when_a_later_operation_of_all_has_ended);
    UNIT_TEST(so_it_is_when_the_numbers_of_operations_start_again);
    UNIT_TEST(the_end_of_a_reduce_frees_none);
    UNIT_TEST(an_operation_without_a_value_frees_none);
    UNIT_TEST(others_may_still_be_in_a_communicator_that_is_freed_here);
    UNIT_TEST(what_is_small_or_taken_later_travels);
    UNIT_TEST(others_find_what_a_rank_shows_and_nothing_else);
    UNIT_END();
}
