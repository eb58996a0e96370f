/* coverage_outcomes: verdicts of coverage on a program, in words that the report of a rank and the
 * command ftcoll share. */
#ifndef FTC_REPORTING_COVERAGE_OUTCOMES_H
#define FTC_REPORTING_COVERAGE_OUTCOMES_H

#include <stdbool.h>

enum ftc_outcome {
    FTC_OUTCOME_NO_WAIT,
    FTC_OUTCOME_NO_WAIT_IF_MESSAGES,
    FTC_OUTCOME_ANY_SOURCE,
    FTC_OUTCOME_ANY_SOURCE_IF_MESSAGES,
    FTC_OUTCOME_ERRORS,
    FTC_OUTCOME_ABORTS,
    FTC_OUTCOME_ABORTS_BLOCKED,
    FTC_OUTCOME_WAITS,
    FTC_OUTCOMES
};

struct ftc_outcome_words {
    const char *word; /* in the JSON report */
    const char *text; /* in the text report */
    bool is_to_be_rehearsed;
};

extern const struct ftc_outcome_words ftc_outcomes[FTC_OUTCOMES];

/* Text that follows an outcome with is_to_be_rehearsed. */
#define FTC_OUTCOME_REHEARSE "; ftcoll rehearse shows how the program then ends"

#endif
