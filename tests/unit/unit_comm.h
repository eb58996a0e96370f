/* unit_comm: the communicator of all ranks, as rank 0 has it. */
#ifndef FTC_TESTS_UNIT_COMM_H
#define FTC_TESTS_UNIT_COMM_H

#include "progress/queue.h"
#include "progress/recovery.h"
#include "progress/running.h"
#include "progress/unexpected.h"
#include "unit_board.h"

/* Returns that of a job of @ranks on one host. No operation runs on it. */
static inline struct ftc_comm *unit_comm(uint32_t ranks)
{
    struct ftc_board_geometry g = unit_geometry(ranks, FTC_TRANSPORT_VALUE_BYTES_MIN);
    struct ftc_settings_error error;
    struct ftc_comm *c;

    ck_assert_int_eq(ftc_settings_parse_buffer("", 0, &ftc_library.settings, &error), 0);
    ftc_library.world_size = (int)ranks;
    ftc_library.board = unit_board(g);
    ck_assert_int_eq(ftc_transport_open(&ftc_library.transport, &ftc_library.board, 0), 0);
    ck_assert_int_eq(ftc_unexpected_open(ranks, g.message_stride_bytes), 0);
    ck_assert_int_eq(ftc_recovery_open(), 0);
    ck_assert_int_eq(ftc_comm_open(&ftc_queue_comm_callbacks), 0);
    c = ftc_comm_internal();
    ck_assert_ptr_nonnull(c);
    return c;
}

#endif
