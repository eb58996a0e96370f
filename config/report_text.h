/* report_text: the tables that `ftcoll report` prints from reports and records, on standard
 * output. */
#ifndef FTC_CONFIG_REPORT_TEXT_H
#define FTC_CONFIG_REPORT_TEXT_H

#include <jansson.h>

/* Writes one report. Its members are those of ftcoll-report(5), and "file", the file and line from
 * which it was read. */
void ftc_report_text_write(const json_t *report);

/* Writes @reports, an array, as a table with one line for each report. */
void ftc_report_text_compare(const json_t *reports);

/* Writes @records, the array of all records in @file, of results that lack ranks. Records with the
 * same call, operator, call site and missing ranks share one line. */
void ftc_report_text_records(const char *file, const json_t *records);

#endif
