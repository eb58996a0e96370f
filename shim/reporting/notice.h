/* notice: what people are told of deaths while the job goes on (setting notice), and who writes the
 * report. Each is told once, by one process of the job (board/announcement.h), from what is on the
 * board. */
#ifndef FTC_REPORTING_NOTICE_H
#define FTC_REPORTING_NOTICE_H

#include "board/announcement.h"
#include "config/settings.h"
#include "report_file.h"

/* Names of files by ftc_report_file_make_absolute(), "" for none; plain bytes. */
struct ftc_report_paths {
    char report[FTC_REPORT_PATH_MAX], trace[FTC_REPORT_PATH_MAX];
};

enum { FTC_NOTICE_F_TEXT = 32 };

struct ftc_notice {
    const struct ftc_board *board;
    struct ftc_announcer self;
    const struct ftc_settings *settings;
    const struct ftc_report_paths *paths;
};

/* The rank in @world, which is dead, has failed: the job or its launcher did not end it. A line, if
 * nobody else has told it and notices are on; after a number of them they only count. */
void ftc_notice_death(const struct ftc_notice *n, uint32_t world);

/* Likewise of all ranks that are dead on the board. */
void ftc_notice_deaths(const struct ftc_notice *n);

/* The ranks of a lost host are dead: their deaths are told here, if this host is to do it, and the
 * others hear that they are. */
void ftc_notice_lost_hosts(const struct ftc_notice *n);

/* At the end of the job: those of other hosts that are not told yet, where a host may just be gone
 * with all who could. They are left to the others for a second. */
void ftc_notice_rest_of_other_hosts(const struct ftc_notice *n);

/* Likewise of a process that is to end the job, which says so or has said so: for half a second. */
void ftc_notice_rest_before_end(const struct ftc_notice *n);

/* The ranks of this host stop because the others may go on without it: a line, if nobody else here
 * has said so. */
void ftc_notice_host_stops(struct ftc_board *board, int unreachable_ms);

/* A line once each living rank has ended an operation that knew of all deaths, if notices are on;
 * and the names of the places that reports will want. False as long as there is something to tell
 * that cannot be told yet. */
bool ftc_notice_recovery(const struct ftc_notice *n);

/* Writes the report of the job by @write, to report_file or standard error, if nobody else has or
 * is at it; false if somebody is. @is_last: the job is ended next, by whoever sees that it has been
 * written, and its launcher drops what it has not read: so it is read before. */
bool ftc_notice_report(const struct ftc_notice *n, void (*write)(FILE *f, const void *context),
                       const void *context, bool is_last);

/* Whether that has been written. */
bool ftc_notice_is_reported(const struct ftc_board *board);

/* Returns whether f counts hosts (setting failure_domain). */
bool ftc_notice_hosts_fail(const struct ftc_notice *n);

/* "f = 1", or of hosts "f = 1 host". */
const char *ftc_notice_f(const struct ftc_notice *n, char text[FTC_NOTICE_F_TEXT]);

/* Whoever has been told of has failed: others were ended, by the job or its launcher. */
bool ftc_notice_has_failed(const struct ftc_board *board, uint32_t world);
uint32_t ftc_notice_failures(const struct ftc_board *board);

#endif
