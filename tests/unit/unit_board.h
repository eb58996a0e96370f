/* unit_board: the boards that the Check suites begin with. */
#ifndef FTC_TESTS_UNIT_BOARD_H
#define FTC_TESTS_UNIT_BOARD_H

#include "board/directory.h"
#include "board/publication.h"
#include "transport/multicast.h"
#include "unit.h"

/* Of @ranks on one host, with one communicator and values of @value_bytes; of which no rank has
 * more than two on their way to another. */
static inline struct ftc_board_geometry unit_geometry(uint32_t ranks, size_t value_bytes)
{
    return (struct ftc_board_geometry){
        .ranks = ranks,
        .entries = 1,
        .entry_stride_bytes = ftc_publication_stride(value_bytes),
        .multicast_bytes = ftc_multicast_stride(),
        .ring_depth = 2,
        .message_stride_bytes = ftc_transport_message_stride(value_bytes),
    };
}

/* Tests, each of which is a process, need not close it. Under valgrind all of a suite are one. */
static inline struct ftc_board unit_board(struct ftc_board_geometry geometry)
{
    enum { BOARDS = 1024 };
    static struct ftc_board made[BOARDS]; /* in which leak checkers find what they have */
    static unsigned count;
    struct ftc_board *board = &made[count++];

    ck_assert_uint_le(count, BOARDS);
    ck_assert_int_eq(ftc_board_create(board, &geometry), 0);
    return *board;
}

/* The one of @host, where the ranks go to @hosts in turns. */
static inline struct ftc_board unit_board_of(uint32_t host, uint32_t hosts, uint32_t ranks,
                                             size_t value_bytes)
{
    struct ftc_board_geometry g = unit_geometry(ranks, value_bytes);
    struct ftc_board board;

    g.other_hosts = hosts - 1;
    g.host = host;
    board = unit_board(g);
    for (uint32_t i = 0; i < ranks; i++)
        ftc_directory_set_rank(&board, i, &(struct ftc_directory_rank){.host = i % hosts});
    return board;
}

#endif
