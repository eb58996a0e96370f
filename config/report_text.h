/* report_text: what `ftcoll report` makes of reports and records, as tables for people. */
#ifndef FTC_CONFIG_REPORT_TEXT_H
#define FTC_CONFIG_REPORT_TEXT_H

#include <jansson.h>

/* Writes one report, whose members are those of ftcoll-report(5), to standard output; "file" is
 * where it was read from. */
void ftc_report_text_write(const json_t *report);

/* Several reports, an array, in a line each. */
void ftc_report_text_compare(const json_t *reports);

/* A record: results that lack ranks, an array of lines; those alike in one line. */
void ftc_report_text_records(const char *file, const json_t *records);

#endif
