/* Who is in a value, and which call sites must not go on without all. */
#include "library.h"
#include "reporting/required_sites.h"
#include "unit.h"
#include "value/contributors.h"

#include <string.h>

struct ftc_library ftc_library;

enum { SIZE = 130, HEADER = 32 };

/* One more than needed: values of messages lie at any address. */
static unsigned char room[2][HEADER + 2];

static void keep(void)
{
    ftc_contributors_open(true);
    ck_assert_uint_eq(ftc_contributors_bytes(SIZE), HEADER);
    memset(room, 0xa5, sizeof room);
}

START_TEST(they_take_no_place_unless_they_are_kept)
{
    ftc_contributors_open(false);
    ck_assert(!ftc_contributors_are_kept);
    ck_assert_uint_eq(ftc_contributors_bytes(SIZE), 0);
    ftc_contributors_open(true);
    ck_assert_uint_eq(ftc_contributors_bytes(1), 16);
    ck_assert_uint_eq(ftc_contributors_bytes(64), 16);
    ck_assert_uint_eq(ftc_contributors_bytes(65), 32);
    ck_assert_uint_eq(ftc_contributors_bytes(4096) % 16, 0);
}
END_TEST

START_TEST(a_value_of_one_rank_is_of_that_rank)
{
    keep();
    for (int rank = 0; rank < SIZE; rank++) {
        ftc_contributors_begin(room[0], SIZE, rank, false);
        for (int other = 0; other < SIZE; other++)
            ck_assert_int_eq(ftc_contributors_have(room[0], other), other == rank);
        ck_assert_int_eq(ftc_contributors_count_missing(room[0], SIZE), SIZE - 1);
        ck_assert(!ftc_contributors_are_required(room[0]));
        ck_assert_uint_eq(room[0][HEADER], 0xa5); /* the data begin here */
    }
}
END_TEST

START_TEST(combined_values_are_of_all_their_ranks)
{
    unsigned char *sum = room[0] + 1, *other = room[1] + 1;

    keep();
    ftc_contributors_begin(sum, SIZE, 0, false);
    for (int rank = 1; rank < SIZE; rank++) {
        if (rank == 64 || rank == 128)
            continue;
        ftc_contributors_begin(other, SIZE, rank, rank == 100);
        ck_assert_int_eq(ftc_contributors_are_required(sum), rank > 100);
        ftc_contributors_join(sum, other, SIZE);
    }
    ck_assert_int_eq(ftc_contributors_count_missing(sum, SIZE), 2);
    ck_assert(!ftc_contributors_have(sum, 64) && !ftc_contributors_have(sum, 128));
    ck_assert(ftc_contributors_are_required(sum));
    ck_assert_uint_eq(sum[HEADER], 0xa5);
}
END_TEST

START_TEST(a_set_of_ranks_is_of_these_ranks)
{
    uint64_t who[FTC_RANK_SET_WORDS(SIZE)] = {0};

    keep();
    for (uint32_t rank = 0; rank < SIZE; rank += 3)
        ftc_rank_set_add(who, rank);
    ftc_contributors_set(room[0] + 1, SIZE, who, true);
    for (int rank = 0; rank < SIZE; rank++) {
        ck_assert_int_eq(ftc_rank_set_has(who, (uint32_t)rank), rank % 3 == 0);
        ck_assert_int_eq(ftc_contributors_have(room[0] + 1, rank), rank % 3 == 0);
    }
    ck_assert(ftc_contributors_are_required(room[0] + 1));
    ck_assert_uint_eq(room[0][HEADER + 1], 0xa5);
}
END_TEST

START_TEST(bits_beyond_the_ranks_count_for_nothing)
{
    keep();
    memset(room[0], 0xff, HEADER);
    ck_assert_int_eq(ftc_contributors_count_missing(room[0], SIZE), 0);
    ck_assert_int_eq(ftc_contributors_count_missing(room[0], 3), 0);
}
END_TEST

START_TEST(sites_are_named_by_function_or_as_a_whole)
{
    static const struct {
        const char *list, *site;
        bool named;
    } c[] = {
        {"solve", "app(solve+0x1f)", true},
        {" a , solve ,b", "app(solve+0x1f)", true},
        {"app(solve+0x1f)", "app(solve+0x1f)", true},
        {"x,app(solve+0x1f)", "app(solve+0x1f)", true},
        {"app(solve+0x1f)", "app(solve+0x10)", false},
        {"app+0x1234", "app+0x1234", true},
        {"solve", "app(solve_+0x1f)", true},
        {"solve", "app(solve.constprop.0+0x1f)", true},
        {"solve", "app(solve__+0x1f)", false},
        {"solve", "app(solver+0x1f)", false},
        {"solver", "app(solve+0x1f)", false},
        {"olve", "app(solve+0x1f)", false},
        {"app", "app(solve+0x1f)", false},
        {"app", "app+0x1234", false},
        {"", "app(solve+0x1f)", false},
        {", ,,", "app(solve+0x1f)", false},
        {"solve", "", false},
        {"solve", "+(", false},
        {"solve", "a(+0x1", false},
        {"operator+", "app(operator++0x1f)", true},
        {"a::f", "app(a::f(int, g<b, c>)+0x1f)", true},
        {"x, a::f(int, g<b, c>), y", "app(a::f(int, g<b, c>)+0x1f)", true},
        {"app(a::f(int, g<b, c>)+0x1f),y", "app(a::f(int, g<b, c>)+0x1f)", true},
        {"a::f<b, c>", "app(a::f<b, c>(int).constprop.0+0x1f)", true},
        {"a::f(int", "app(a::f(int, g<b, c>)+0x1f)", false},
        {"a::f", "app(a::f::g(int)+0x1f)", false},
        {"f", "app(a::f(int)+0x1f)", false},
        {"operator<, x", "app(x+0x1f)", true},
        {"a::operator->(), x", "app(x+0x1f)", true},
        {"a::operator()", "app(a::operator()(int)+0x1f)", true},
        {"(anonymous namespace)::f", "app((anonymous namespace)::f()+0x1f)", true},
    };

    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        ck_assert_msg((ftc_required_sites_names(c[i].list, c[i].site) != 0) == c[i].named,
                      "'%s' and '%s'", c[i].list, c[i].site);
}
END_TEST

START_TEST(words_that_name_are_told_apart)
{
    char list[256] = "";

    ck_assert_uint_eq(ftc_required_sites_names("a, f ,, b,f(int, int)", "app(f(int, int)+0x1f)"),
                      2 | 8);
    for (int i = 0; i < 100; i++)
        strcat(list, "x,");
    strcat(list, "f");
    ck_assert_uint_eq(ftc_required_sites_names(list, "app(f+0x1f)"), 1ull << 63);
}
END_TEST

START_TEST(no_site_is_named_without_the_setting)
{
    const struct ftc_settings settings = {0};
    const struct ftc_notice notice = {.settings = &settings};

    ck_assert(!ftc_required_sites_have(&notice, (const void *)(uintptr_t)&strlen));
}
END_TEST

int main(void)
{
    UNIT_BEGIN("contributors");
    UNIT_TEST(they_take_no_place_unless_they_are_kept);
    UNIT_TEST(a_value_of_one_rank_is_of_that_rank);
    UNIT_TEST(combined_values_are_of_all_their_ranks);
    UNIT_TEST(a_set_of_ranks_is_of_these_ranks);
    UNIT_TEST(bits_beyond_the_ranks_count_for_nothing);
    UNIT_TEST(sites_are_named_by_function_or_as_a_whole);
    UNIT_TEST(words_that_name_are_told_apart);
    UNIT_TEST(no_site_is_named_without_the_setting);
    UNIT_END();
}
