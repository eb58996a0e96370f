/* coverage_conditions: conditions that decide whether the program works well after a death, and the
 * call sites that they concern. A program can go wrong although no call waits for a dead rank. */
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

/* Returns the condition's word in the JSON report, such as "reductions". */
const char *ftc_condition_word(enum ftc_condition condition);

/* Returns the condition's text in the report. */
const char *ftc_condition_text(enum ftc_condition condition);

/* Returns the next call site that @condition concerns once the settings in @remedies are in force;
 * NULL after the last. *@next is 0 at first, and is advanced. The text belongs to @t, and each call
 * site is returned once. */
const char *ftc_condition_site(const struct ftc_coverage_table *t, enum ftc_condition condition,
                               uint32_t remedies, int *next);

/* Returns whether @condition concerns a call site. FTC_CONDITION_RANK_0 needs no call site: it
 * holds if rank 0 is not critical and some call needs other ranks. */
bool ftc_condition_holds(const struct ftc_coverage_table *t, enum ftc_condition condition,
                         uint32_t remedies);

#endif
