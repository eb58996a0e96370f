/* What is written as JSON: commas and places, numbers, and strings of any bytes. */
#include "system/json.h"

#include "unit.h"

#include <locale.h>
#include <signal.h>
#include <string.h>

static char *text;
static size_t length;
static struct ftc_json j;

static void begin(void)
{
    ftc_json_begin(&j, open_memstream(&text, &length));
}

/* Valid until the next. */
static const char *written(void)
{
    static char copy[1 << 12];

    fclose(j.f);
    ck_assert_uint_lt(length, sizeof copy);
    memcpy(copy, text, length + 1);
    free(text);
    return copy;
}

static const char *string_of(const char *bytes)
{
    begin();
    ftc_json_open_array(&j, NULL);
    ftc_json_add_text(&j, NULL, bytes);
    ftc_json_close(&j);
    return written();
}

START_TEST(commas_stand_between_values)
{
    begin();
    ftc_json_open_object(&j, NULL);
    ftc_json_open_array(&j, "none");
    ftc_json_close(&j);
    ftc_json_open_array(&j, "some");
    ftc_json_add_number(&j, NULL, 1);
    ftc_json_open_object(&j, NULL);
    ftc_json_close(&j);
    ftc_json_open_array(&j, NULL);
    ftc_json_add_bool(&j, NULL, true);
    ftc_json_add_bool(&j, NULL, false);
    ftc_json_close(&j);
    ftc_json_close(&j);
    ftc_json_open_object(&j, "inner");
    ftc_json_add_null(&j, "a");
    ftc_json_add_text(&j, "b", NULL);
    ftc_json_close(&j);
    ftc_json_add_text(&j, "last", "");
    ftc_json_close(&j);
    ck_assert_str_eq(written(), "{\"none\":[],\"some\":[1,{},[true,false]],\"inner\":{\"a\":null,"
                                "\"b\":null},\"last\":\"\"}\n");
}
END_TEST

START_TEST(each_value_is_a_line)
{
    begin();
    for (int i = 0; i < 2; i++) {
        ftc_json_begin(&j, j.f);
        ftc_json_open_array(&j, NULL);
        ftc_json_add_number(&j, NULL, i);
        ftc_json_close(&j);
    }
    ck_assert_str_eq(written(), "[0]\n[1]\n");
}
END_TEST

START_TEST(as_deep_as_it_may_be)
{
    char expected[2 * FTC_JSON_DEPTH + 2] = "";

    begin();
    for (int i = 0; i < FTC_JSON_DEPTH; i++) {
        expected[i] = '[';
        expected[2 * FTC_JSON_DEPTH - 1 - i] = ']';
        ftc_json_open_array(&j, NULL);
    }
    for (int i = 0; i < FTC_JSON_DEPTH; i++)
        ftc_json_close(&j);
    expected[2 * FTC_JSON_DEPTH] = '\n';
    ck_assert_str_eq(written(), expected);
}
END_TEST

START_TEST(numbers_are_exact)
{
    begin();
    ftc_json_open_array(&j, NULL);
    ftc_json_add_number(&j, NULL, INT64_MIN);
    ftc_json_add_number(&j, NULL, INT64_MAX);
    ftc_json_add_count(&j, NULL, UINT64_MAX);
    ftc_json_add_decimal(&j, NULL, 0, 3);
    ftc_json_add_decimal(&j, NULL, 7, 3);
    ftc_json_add_decimal(&j, NULL, -7, 1);
    ftc_json_add_decimal(&j, NULL, 28358012, 3);
    ftc_json_add_decimal(&j, NULL, INT64_MIN, 18);
    ftc_json_close(&j);
    ck_assert_str_eq(written(), "[-9223372036854775808,9223372036854775807,18446744073709551615,"
                                "0.000,0.007,-0.7,28358.012,-9.223372036854775808]\n");
}
END_TEST

/* A program may have asked for a decimal comma, or for groups of digits. */
START_TEST(the_locale_does_not_count)
{
    static const char *const comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    bool found = false;

    for (size_t i = 0; i < sizeof comma / sizeof *comma && !found; i++)
        found = setlocale(LC_ALL, comma[i]) != NULL;
    if (!found)
        puts("the_locale_does_not_count: no locale with a decimal comma is installed");
    begin();
    ftc_json_open_array(&j, NULL);
    ftc_json_add_decimal(&j, NULL, 12345678, 3);
    ftc_json_close(&j);
    ck_assert_str_eq(written(), "[12345.678]\n");
}
END_TEST

/* ---- times ---- */

static const char *time_in(const char *zone, struct timespec utc)
{
    setenv("TZ", zone, 1);
    tzset();
    begin();
    ftc_json_open_array(&j, NULL);
    ftc_json_add_time(&j, NULL, utc);
    ftc_json_close(&j);
    return written();
}

START_TEST(times_are_local_and_say_how_far)
{
    struct timespec utc = {.tv_sec = 1795357387, .tv_nsec = 123999999};

    ck_assert_str_eq(time_in("UTC", utc), "[\"2026-11-22T14:23:07.123+00:00\"]\n");
    ck_assert_str_eq(time_in("XXX-5:30", utc), "[\"2026-11-22T19:53:07.123+05:30\"]\n");
    ck_assert_str_eq(time_in("XXX+9:45", utc), "[\"2026-11-22T04:38:07.123-09:45\"]\n");
    utc = (struct timespec){.tv_sec = INT64_MAX};
    ck_assert_str_eq(time_in("UTC", utc), "[null]\n");
}
END_TEST

/* ---- strings ---- */

START_TEST(what_would_end_a_string_is_escaped)
{
    ck_assert_str_eq(string_of("a\"b\\c/\n\t\x01\x1f \x7f"),
                     "[\"a\\u0022b\\u005cc/\\u000a\\u0009\\u0001\\u001f \\u007f\"]\n");
}
END_TEST

/* The character @code in UTF-8, without a look at whether it is one. */
static void encode(uint32_t code, char bytes[8])
{
    int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};

    memset(bytes, 0, 8);
    bytes[0] = (char)(lead[more] | code >> 6 * more);
    for (int i = 1; i <= more; i++)
        bytes[i] = (char)(0x80 | (code >> 6 * (more - i) & 0x3f));
}

static void check_kept(uint32_t code)
{
    char bytes[8], expected[16];

    encode(code, bytes);
    snprintf(expected, sizeof expected, "[\"%s\"]\n", bytes);
    ck_assert_str_eq(string_of(bytes), expected);
}

enum { STRIDE = 251 };

START_TEST(characters_stay_as_they_are)
{
    static const uint32_t edges[] = {0xa0, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff};

    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        check_kept(edges[i]);
    for (uint32_t code = 0xa0; code <= 0x10ffff; code += STRIDE)
        if (code < 0xd800 || code > 0xdfff)
            check_kept(code);
}
END_TEST

/* Who shows the file in a terminal is safe from them. */
START_TEST(control_characters_are_escaped)
{
    ck_assert_str_eq(string_of("\x1b\x7f\xc2\x80\xc2\x9f\xc2\xa0"),
                     "[\"\\u001b\\u007f\\u0080\\u009f\xc2\xa0\"]\n");
}
END_TEST

static void check_replaced(const char *bytes, int count)
{
    char expected[64] = "[\"";

    for (int i = 0; i < count; i++)
        strcat(expected, "\\ufffd");
    strcat(expected, "\"]\n");
    ck_assert_str_eq(string_of(bytes), expected);
}

START_TEST(bytes_that_are_no_characters_are_replaced)
{
    static const char *const broken[] = {"\x80",
                                         "\xbf",
                                         "\xc0\x80",
                                         "\xc1\xbf",
                                         "\xc2",
                                         "\xe0\x80\x80",
                                         "\xe0\x9f\xbf",
                                         "\xed\xa0\x80",
                                         "\xed\xbf\xbf",
                                         "\xe2\x82",
                                         "\xf0\x9f\x98",
                                         "\xf0\x8f\xbf\xbf",
                                         "\xf4\x90\x80\x80",
                                         "\xf5\x80\x80\x80",
                                         "\xff\xfe"};

    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        check_replaced(broken[i], (int)strlen(broken[i]));
    ck_assert_str_eq(string_of("\xe2\x82"
                               "a"),
                     "[\"\\ufffd\\ufffda\"]\n");
}
END_TEST

/* ---- what no caller may do ---- */

START_TEST(a_member_without_a_key)
{
    begin();
    ftc_json_open_object(&j, NULL);
    ftc_json_add_number(&j, NULL, 1);
}
END_TEST

START_TEST(an_element_with_a_key)
{
    begin();
    ftc_json_open_array(&j, NULL);
    ftc_json_add_number(&j, "a", 1);
}
END_TEST

START_TEST(a_second_value)
{
    begin();
    ftc_json_open_array(&j, NULL);
    ftc_json_close(&j);
    ftc_json_open_array(&j, NULL);
}
END_TEST

START_TEST(too_deep)
{
    begin();
    for (int i = 0; i <= FTC_JSON_DEPTH; i++)
        ftc_json_open_array(&j, NULL);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("json");
    UNIT_TEST(commas_stand_between_values);
    UNIT_TEST(each_value_is_a_line);
    UNIT_TEST(as_deep_as_it_may_be);
    UNIT_TEST(numbers_are_exact);
    UNIT_TEST(the_locale_does_not_count);
    UNIT_TEST(times_are_local_and_say_how_far);
    UNIT_TEST(what_would_end_a_string_is_escaped);
    UNIT_TEST(characters_stay_as_they_are);
    UNIT_TEST(control_characters_are_escaped);
    UNIT_TEST(bytes_that_are_no_characters_are_replaced);
    if (strcmp(getenv("CK_FORK") ? getenv("CK_FORK") : "", "no") != 0) {
        tcase_add_test_raise_signal(unit_case, a_member_without_a_key, SIGABRT);
        tcase_add_test_raise_signal(unit_case, an_element_with_a_key, SIGABRT);
        tcase_add_test_raise_signal(unit_case, a_second_value, SIGABRT);
        tcase_add_test_raise_signal(unit_case, too_deep, SIGABRT);
    }
    UNIT_END();
}
