/* report_json: what all reports have in common where they are JSON (report_format = json). The
 * schema is in ftcoll-report(5). */
#ifndef FTC_NOTICE_REPORT_JSON_H
#define FTC_NOTICE_REPORT_JSON_H

#include "board/telling.h"
#include "failures.h"

/* Grows when a key changes its meaning or goes; new ones may come. */
enum { FTC_REPORT_SCHEMA = 1 };

struct ftc_report_head {
    const struct ftc_board *board;
    struct ftc_teller writer;
    bool is_early; /* the job ended before MPI_Finalize returned */
    uint32_t failed;
    int f;           /* the setting */
    bool hosts_fail; /* f counts hosts */
};

/* Opens the report on @f and writes its first members. What follows is the caller's: "failures",
 * an array, and what else it knows; and to close it. */
void ftc_report_json_begin(struct ftc_json *j, FILE *f, const struct ftc_report_head *head);

#endif
