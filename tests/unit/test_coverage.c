/* The table of call sites: what ranks write into it, and what a reader makes of anything there. */
#include "library.h"
#include "program/native.h"
#include "report/coverage.h"
#include "unit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 3, SITES = 4 };

struct ftc_library ftc_library;

static struct ftc_board *opened(void)
{
    static const struct ftc_board_geometry geometry = {.slots = RANKS,
                                                       .entries = 1,
                                                       .entry_stride_bytes = 128,
                                                       .ring_depth = 1,
                                                       .message_stride_bytes = 64,
                                                       .sites = SITES};
    struct ftc_board *board = &ftc_library.board;

    if (board->shared)
        ftc_board_close(board);
    ck_assert_int_eq(ftc_board_create(board, &geometry), 0);
    return board;
}

static void act_as(uint32_t rank)
{
    ftc_library.self = rank;
    ftc_coverage_open();
    ck_assert(ftc_coverage_is_on);
}

static void call_at(const void *site, enum ftc_call_kind kind, enum ftc_pass pass)
{
    struct ftc_call call = {.kind = kind, .return_address = site};

    ftc_coverage_call(&call, pass);
}

/* Until the next one. */
static const char *report(void)
{
    static char text[1 << 16];
    FILE *f = fmemopen(text, sizeof text, "w");

    ftc_coverage_write(f, &ftc_library.board);
    fclose(f);
    return text;
}

static void expect(const char *part)
{
    const char *text = report();

    ck_assert_msg(strstr(text, part), "'%s' is not in:\n%s", part, text);
}

static int count_lines(const char *text)
{
    int lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* Return addresses outside of this program, which is the library itself here. */
static const char *site(int number)
{
    return (const char *)(uintptr_t)&getpid + 2 + number;
}

/* What any process may have written into a record of rank @rank. */
static struct ftc_board_site *record(uint32_t rank, uint32_t number)
{
    return &ftc_board_sites(&ftc_library.board, rank)->site[number];
}

START_TEST(calls_of_all_ranks_at_one_site_are_one_line)
{
    opened();
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        act_as(rank);
        for (uint32_t i = 0; i <= rank; i++)
            call_at(site(0), FTC_CALL_ALLREDUCE, FTC_PASS_NONE);
    }
    expect("           6 on    3  MPI_Allreduce      protected      libc.so.6(");
    expect("all 6 calls that need other ranks are protected");
}
END_TEST

START_TEST(the_exposed_come_first_and_are_summed_up)
{
    const char *text;

    opened();
    act_as(1);
    for (int i = 0; i < 3000; i++)
        call_at(site(0), FTC_CALL_ALLREDUCE, FTC_PASS_NONE);
    call_at(site(1), FTC_CALL_BARRIER, FTC_PASS_NOT_INTERCEPTED);
    call_at(site(2), FTC_CALL_ALLREDUCE, FTC_PASS_COMM_SELF);
    text = report();
    ck_assert_ptr_nonnull(strstr(text, "not protected"));
    ck_assert(strstr(text, "not protected") < strstr(text, "3,000 on    1"));
    ck_assert(strstr(text, "3,000 on    1") < strstr(text, "needs nobody"));
    /* Never "100.0 %" while there is one */
    expect("99.9 % of 3,001 calls that need other ranks are protected; a dead rank would leave the "
           "others waiting at 1 of 3 call sites");
}
END_TEST

START_TEST(one_site_may_have_several_fates)
{
    opened();
    act_as(0);
    call_at(site(0), FTC_CALL_ALLREDUCE, FTC_PASS_NONE);
    call_at(site(0), FTC_CALL_ALLREDUCE, FTC_PASS_TOO_LARGE);
    expect("message larger than max_bytes");
    expect("50.0 % of 2 calls that need other ranks are protected; a dead rank would leave the "
           "others waiting at 1 of 1 call sites");
}
END_TEST

START_TEST(more_sites_than_there_is_room_for_are_counted)
{
    opened();
    act_as(2);
    for (int i = 0; i < SITES + 3; i++)
        call_at(site(i), FTC_CALL_BARRIER, i % 2 ? FTC_PASS_NONE : FTC_PASS_NOT_INTERCEPTED);
    expect("and 3 calls at other call sites, 2 of them not protected");
    expect("42.8 % of 7 calls");
}
END_TEST

START_TEST(native_calls_are_counted_by_what_protects_them)
{
    opened();
    act_as(0);
    ftc_coverage_native(FTC_CALL_RECV, MPI_COMM_WORLD, MPI_PROC_NULL, site(0));
    ftc_coverage_native(FTC_CALL_RECV, MPI_COMM_WORLD, 1, site(0));
    ftc_coverage_native(FTC_CALL_GATHER, MPI_COMM_WORLD, FTC_ALL_MEMBERS, site(1));
    ftc_coverage_native(FTC_CALL_COMM_SPLIT, MPI_COMM_WORLD, FTC_ALL_MEMBERS, site(2));
    expect(": MPI_PROC_NULL, or MPI_COMM_SELF");
    expect(": setting p2p is native");
    expect(": no protection for this call");
    expect(": setting communicators is native");
    /* The others have been counted when it was decided who carries them out. */
    ftc_coverage_native(FTC_CALL_BARRIER, MPI_COMM_WORLD, FTC_ALL_MEMBERS, site(3));
    expect("0.0 % of 3 calls");
}
END_TEST

START_TEST(settings_protect_native_calls)
{
    opened();
    ftc_library.settings.p2p = FTC_P2P_ERROR;
    ftc_library.settings.communicators = FTC_COMMUNICATORS_SURVIVORS;
    act_as(0);
    ftc_coverage_native(FTC_CALL_SENDRECV, MPI_COMM_WORLD, 1, site(0));
    ftc_coverage_native(FTC_CALL_COMM_DUP, MPI_COMM_WORLD, FTC_ALL_MEMBERS, site(2));
    expect("all 2 calls that need other ranks are protected");
}
END_TEST

START_TEST(nothing_called)
{
    opened();
    expect("no call needed another rank");
}
END_TEST

/* ---- records that no correct rank writes ---- */

START_TEST(a_call_or_fate_that_there_is_not_is_left_out)
{
    const char *text;

    opened();
    for (uint32_t i = 0; i < SITES; i++) {
        atomic_store(&record(0, i)->call, i < 2 ? UINT32_MAX : FTC_CALL_BARRIER);
        record(0, i)->protection = i < 2 ? 0 : UINT32_MAX;
    }
    atomic_store(&record(1, 0)->call, FTC_CALL_COUNT);
    record(1, 1)->protection = FTC_PROTECTION_COUNT;
    atomic_store(&record(1, 1)->call, FTC_CALL_BARRIER);
    text = report();
    ck_assert_int_eq(count_lines(text), 2);
}
END_TEST

START_TEST(a_text_without_an_end_is_cut)
{
    const char *text;

    opened();
    atomic_store(&record(1, SITES - 1)->call, FTC_CALL_BARRIER);
    memset(record(1, SITES - 1)->text, 'x', FTC_BOARD_SITE_TEXT);
    text = report();
    ck_assert_int_eq(count_lines(text), 3);
    ck_assert_int_eq(strspn(strchr(text, 'x'), "x"), FTC_BOARD_SITE_TEXT - 1);
}
END_TEST

START_TEST(control_characters_are_not_printed)
{
    const char *text;

    opened();
    atomic_store(&record(0, 0)->call, FTC_CALL_BARRIER);
    strcpy(record(0, 0)->text, "a\033[2J\nb\r\x7f\xff%s");
    text = report();
    ck_assert_ptr_nonnull(strstr(text, "a?[2J?b???%s"));
    for (const char *c = text; *c; c++)
        ck_assert(*c == '\n' || (*c >= ' ' && *c <= '~'));
}
END_TEST

START_TEST(counts_may_be_anything)
{
    opened();
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        atomic_store(&record(rank, 0)->call, FTC_CALL_BARRIER);
        atomic_store(&record(rank, 0)->calls, UINT64_MAX);
        for (int s = 0; s < FTC_BOARD_SHELTERS; s++)
            atomic_store(&ftc_board_sites(&ftc_library.board, rank)->elsewhere[s], UINT64_MAX);
    }
    expect("on    3  MPI_Barrier");
}
END_TEST

/* ---- the segment ---- */

START_TEST(without_sites_nothing_is_counted)
{
    struct ftc_board_geometry g = opened()->geometry;
    size_t with = ftc_library.board.size_bytes;

    ftc_board_close(&ftc_library.board);
    g.sites = 0;
    ck_assert_int_eq(ftc_board_create(&ftc_library.board, &g), 0);
    ftc_coverage_open();
    ck_assert(!ftc_coverage_is_on);
    ck_assert_int_eq(with - ftc_library.board.size_bytes,
                     RANKS *
                         (sizeof(struct ftc_board_sites) + SITES * sizeof(struct ftc_board_site)));
}
END_TEST

START_TEST(too_many_sites_are_refused)
{
    struct ftc_board_geometry g = opened()->geometry;
    struct ftc_board other;

    g.sites = UINT32_MAX;
    ck_assert_int_eq(ftc_board_create(&other, &g), -EINVAL);
    ftc_library.board.shared->geometry.sites++;
    ck_assert_int_eq(ftc_board_map(&other, ftc_library.board.fd), -EACCES);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("coverage");
    UNIT_TEST(calls_of_all_ranks_at_one_site_are_one_line);
    UNIT_TEST(the_exposed_come_first_and_are_summed_up);
    UNIT_TEST(one_site_may_have_several_fates);
    UNIT_TEST(more_sites_than_there_is_room_for_are_counted);
    UNIT_TEST(native_calls_are_counted_by_what_protects_them);
    UNIT_TEST(settings_protect_native_calls);
    UNIT_TEST(nothing_called);
    UNIT_TEST(a_call_or_fate_that_there_is_not_is_left_out);
    UNIT_TEST(a_text_without_an_end_is_cut);
    UNIT_TEST(control_characters_are_not_printed);
    UNIT_TEST(counts_may_be_anything);
    UNIT_TEST(without_sites_nothing_is_counted);
    UNIT_TEST(too_many_sites_are_refused);
    UNIT_END();
}
