/* What a board takes of memory, among many ranks on one host. */
#include "board/publication.h"
#include "lifecycle/geometry.h"
#include "transport/transport.h"
#include "unit.h"
#include "value/blocks.h"

#include <stdio.h>
#include <string.h>

enum {
    MIB = 1 << 20,
    MOST_OF_A_RANK = 8 * MIB,
    PRIVATE = MIB /* and its monitor process's */,
    PART = 100000
};

static struct ftc_board_geometry geometry_with(const char *text, int ranks, int hosts)
{
    struct ftc_settings settings;
    struct ftc_settings_error error;

    ck_assert_int_eq(ftc_settings_parse_buffer(text, strlen(text), &settings, &error), 0);
    return ftc_geometry_make(&settings, ranks, hosts, PART);
}

static struct ftc_board_geometry geometry(int ranks, int hosts)
{
    return geometry_with("", ranks, hosts);
}

/* Once each rank has talked with each other one. */
START_TEST(what_a_rank_takes_among_256_is_bounded)
{
    struct ftc_board_geometry g = geometry(256, 1);

    ck_assert_uint_ge(g.ring_depth, 4);
    ck_assert_uint_le(g.ranks * ftc_board_ring_bytes(&g) + PRIVATE, MOST_OF_A_RANK);
}
END_TEST

START_TEST(few_ranks_have_deep_rings)
{
    ck_assert_uint_eq(geometry(2, 1).ring_depth, 16);
    ck_assert_uint_eq(geometry(64, 1).ring_depth, 16);
}
END_TEST

/* Rings with ranks of other hosts are not used. */
START_TEST(ranks_of_other_hosts_do_not_count)
{
    ck_assert_uint_eq(geometry(256, 4).ring_depth, 16);
    ck_assert_uint_eq(geometry(4096, 64).ring_depth, 16);
}
END_TEST

/* On one host they are in memory that all read. */
START_TEST(messages_between_hosts_have_room_for_parts_of_large_values)
{
    const char *large = "large = protected\n";

    ck_assert_uint_ge(geometry_with(large, 4, 2).message_stride_bytes, PART);
    ck_assert_uint_eq(geometry_with(large, 4, 2).bulk_bytes, 0);
    ck_assert_uint_lt(geometry_with(large, 4, 1).message_stride_bytes, PART);
    ck_assert_uint_gt(geometry_with(large, 4, 1).bulk_bytes, 0);
    ck_assert_uint_lt(geometry(4, 2).message_stride_bytes, PART);
}
END_TEST

/* A message of max_bytes takes it anyway. */
START_TEST(with_large_calls_more_than_a_message_can_be_exposed)
{
    const char *all = "intercept = all\nmax_bytes = 4096\n";
    const char *large = "intercept = all\nmax_bytes = 4096\nlarge = protected\n";

    ck_assert_uint_eq(geometry_with(all, 4, 1).exposed_bytes, 4096);
    ck_assert_uint_eq(geometry_with(large, 4, 1).exposed_bytes, 16384);
    ck_assert_uint_eq(geometry_with(large, 4, 2).exposed_bytes, 0);
}
END_TEST

/* Of an operation without a kernel, in which everybody's elements travel. */
START_TEST(values_of_nonblocking_reductions_have_room)
{
    enum { MAX_BYTES = 4096 };
    static const char *const words[] = {"iallreduce", "ireduce", "reduce,allreduce,iallreduce"};
    static const int ranks[] = {2, 8, 64, 128};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (size_t k = 0; k < sizeof ranks / sizeof *ranks; k++) {
            size_t bytes = ftc_blocks_room(
                &(struct ftc_blocks_limit){.ranks = ranks[k], .data_bytes = MAX_BYTES});
            struct ftc_board_geometry g;
            char text[128];

            snprintf(text, sizeof text, "intercept = %s\nmax_bytes = %d\n", words[i], MAX_BYTES);
            g = geometry_with(text, ranks[k], 1);
            ck_assert_uint_ge(g.entry_stride_bytes, ftc_publication_stride(bytes));
            ck_assert_uint_ge(g.message_stride_bytes, ftc_transport_message_stride(bytes));
        }
}
END_TEST

int main(void)
{
    UNIT_BEGIN("geometry");
    UNIT_TEST(what_a_rank_takes_among_256_is_bounded);
    UNIT_TEST(few_ranks_have_deep_rings);
    UNIT_TEST(ranks_of_other_hosts_do_not_count);
    UNIT_TEST(messages_between_hosts_have_room_for_parts_of_large_values);
    UNIT_TEST(with_large_calls_more_than_a_message_can_be_exposed);
    UNIT_TEST(values_of_nonblocking_reductions_have_room);
    UNIT_END();
}
