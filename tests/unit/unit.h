/* unit: what the Check suites share. */
#ifndef FTC_TESTS_UNIT_H
#define FTC_TESTS_UNIT_H

#include <check.h>
#include <stdint.h>
#include <stdlib.h>

/* Below @below; the same from the same *@seed, which goes on. */
static inline uint32_t unit_draw(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 16) % below;
}

/* How far a test goes: to @part where each step takes long (PART in the environment). */
static inline int unit_most(int whole, int part)
{
    return getenv("PART") ? part : whole;
}

/* In main(): UNIT_BEGIN("name"); UNIT_TEST(test); ... UNIT_END(); */
#define UNIT_BEGIN(name)                                                                           \
    Suite *unit_suite = suite_create(name);                                                        \
    TCase *unit_case = tcase_create(name);                                                         \
    SRunner *unit_runner;                                                                          \
    int unit_failed;                                                                               \
                                                                                                   \
    tcase_set_timeout(unit_case, 300)

#define UNIT_TEST(test) tcase_add_test(unit_case, test)

#define UNIT_END()                                                                                 \
    suite_add_tcase(unit_suite, unit_case);                                                        \
    unit_runner = srunner_create(unit_suite);                                                      \
    srunner_run_all(unit_runner, CK_NORMAL);                                                       \
    unit_failed = srunner_ntests_failed(unit_runner);                                              \
    srunner_free(unit_runner);                                                                     \
    return unit_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE

#endif
