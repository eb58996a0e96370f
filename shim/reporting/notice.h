/* notice: lines on standard error that report deaths and recoveries while the job runs (setting
 * notice), and the choice of the process that writes the report. One process of the job writes each
 * line and the report once (board/announcement.h), from what is on the board. */
#ifndef FTC_REPORTING_NOTICE_H
#define FTC_REPORTING_NOTICE_H

#include "board/announcement.h"
#include "config/settings.h"
#include "report_file.h"

/* Names of files by ftc_report_file_make_absolute(), "" for none. Plain bytes without pointers. */
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

/* Reports that rank @world, which is dead, has failed: neither the job nor its launcher ended it.
 * Prints a line if no other process has reported the death and setting notice is on. From the ninth
 * death on only the number of deaths is printed, and only when it is a power of two. Does nothing
 * if another host is to report this death. */
void ftc_notice_death(const struct ftc_notice *n, uint32_t world);

/* Reports all ranks that are dead on the board, as ftc_notice_death() does. */
void ftc_notice_deaths(const struct ftc_notice *n);

/* Reports the deaths of ranks of lost hosts if this host is the first that is not lost. Then notes
 * for the other hosts that all deaths of a lost host are reported. */
void ftc_notice_lost_hosts(const struct ftc_notice *n);

/* Reports, at the end of the job, the deaths on other hosts that are not reported yet, because such
 * a host may just have been lost with all its processes. Leaves these deaths to the other hosts for
 * a second. */
void ftc_notice_rest_of_other_hosts(const struct ftc_notice *n);

/* As above, but before the caller ends the job, after it has announced that or just before. Leaves
 * these deaths to the other hosts for half a second. */
void ftc_notice_rest_before_end(const struct ftc_notice *n);

/* Prints that the ranks of this host stop because the other hosts may go on without it, unless
 * another process of this host has printed it. @unreachable_ms: the setting, for the text. */
void ftc_notice_host_stops(struct ftc_board *board, int unreachable_ms);

/* Prints a line, if notices are on, once each living rank has ended an operation that knew of all
 * deaths, or has ended MPI. A monitor process then also finds the names of the call sites for the
 * report. Returns false as long as there is something to report that cannot be reported yet. */
bool ftc_notice_recovery(const struct ftc_notice *n);

/* Writes the report of the job by @write, to report_file or standard error. Returns false if
 * another process has written it or is writing it. @is_last: the job is ended as soon as a process
 * sees that the report is written, and the launcher then drops output that it has not read. A
 * report on standard error is therefore awaited until it has been read, for at most five
 * seconds. */
bool ftc_notice_report(const struct ftc_notice *n, void (*write)(FILE *f, const void *context),
                       const void *context, bool is_last);

/* Returns whether the report has been written. */
bool ftc_notice_is_reported(const struct ftc_board *board);

/* Returns whether f counts hosts (setting failure_domain). */
bool ftc_notice_hosts_fail(const struct ftc_notice *n);

/* Writes "f = 1", or "f = 1 host" if f counts hosts, to @text, and returns @text. */
const char *ftc_notice_f(const struct ftc_notice *n, char text[FTC_NOTICE_F_TEXT]);

/* Returns whether @world has failed: it is dead, and its death has been reported. The job or its
 * launcher ended the other dead ranks. */
bool ftc_notice_has_failed(const struct ftc_board *board, uint32_t world);

/* Returns the number of ranks that have failed. */
uint32_t ftc_notice_failures(const struct ftc_board *board);

#endif
