/* Lists of numbers: what they have in them, and where they end. */
#include "system/numbers.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static const char *list(char *text, size_t size, int from, int to)
{
    text[0] = '\0';
    for (int i = from; i < to; i++)
        ftc_numbers_add(text, size, i);
    return text;
}

START_TEST(what_has_room_is_there)
{
    char text[64];

    ck_assert_str_eq(list(text, sizeof text, 0, 0), "");
    ck_assert_str_eq(list(text, sizeof text, 3, 4), "3");
    ck_assert_str_eq(list(text, sizeof text, 9, 12), "9, 10, 11");
}
END_TEST

/* Whatever room there is, the first numbers are there, and nothing else. */
START_TEST(a_list_that_is_full_has_no_part_of_a_number)
{
    char whole[4096], text[4096];

    list(whole, sizeof whole, 64, 1100);
    for (size_t size = 8; size < 512; size++) {
        size_t length;

        memset(text, 'x', sizeof text);
        length = strlen(list(text, size, 64, 1100));
        ck_assert_uint_lt(length, size);
        ck_assert_str_eq(text + length - 3, "...");
        if (length > 3) {
            ck_assert_mem_eq(text, whole, length - 3);
            ck_assert_str_eq(text + length - 5, ", ...");
        }
    }
}
END_TEST

int main(void)
{
    UNIT_BEGIN("numbers");
    UNIT_TEST(what_has_room_is_there);
    UNIT_TEST(a_list_that_is_full_has_no_part_of_a_number);
    UNIT_END();
}
