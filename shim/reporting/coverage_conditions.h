/* coverage_conditions: that no call waits for a dead rank does not mean that the program goes on
 * well. On what that depends, and at which of its call sites. */
#ifndef FTC_REPORTING_COVERAGE_CONDITIONS_H
#define FTC_REPORTING_COVERAGE_CONDITIONS_H

#include "coverage_table.h"

#include <stdio.h>

enum ftc_condition {
#define FTC_CONDITION(name, word, text) FTC_CONDITION_##name,
#include "coverage_conditions.def"
#undef FTC_CONDITION
    FTC_CONDITIONS
};

/* "reductions"; and the condition in words. */
const char *ftc_condition_word(enum ftc_condition condition);
const char *ftc_condition_text(enum ftc_condition condition);

/* Returns the next place on which @condition has a bearing once the settings in @remedies are in
 * force, from row *@next on, which is 0 at first; NULL after the last. */
const char *ftc_condition_site(const struct ftc_coverage_table *t, enum ftc_condition condition,
                               uint32_t remedies, int *next);

/* Whether there is such a place, or the condition needs none. */
bool ftc_condition_holds(const struct ftc_coverage_table *t, enum ftc_condition condition,
                         uint32_t remedies);

#endif
