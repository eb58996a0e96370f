/* notice: what people are told of deaths while the job goes on (setting notice), and the report of
 * a job that ends before MPI_Finalize can write it. Each is told once, by one process of the job
 * (board/telling.h), from what is on the board. */
#ifndef FTC_NOTICE_NOTICE_H
#define FTC_NOTICE_NOTICE_H

#include "board/telling.h"
#include "report_file.h"

/* Of the settings; plain bytes. */
struct ftc_notice_options {
    int32_t is_on; /* notice */
    int32_t f, timeout_ms, max_failed;
    int32_t reports;                       /* report is not off */
    char report_file[FTC_REPORT_PATH_MAX]; /* of ftc_report_file_make_absolute() */
};

struct ftc_notice {
    const struct ftc_board *board;
    struct ftc_teller self;
    const struct ftc_notice_options *options;
};

/* The rank in @world, which is dead, has failed: the job or its launcher did not end it. A line, if
 * nobody else has told it and notices are on; after a number of them they only count. */
void ftc_notice_death(const struct ftc_notice *n, uint32_t world);

/* Likewise of all ranks that are dead on the board. */
void ftc_notice_deaths(const struct ftc_notice *n);

/* A line once each living rank has ended an operation that knew of all deaths; false as long as
 * there is something to tell that cannot be told yet. */
bool ftc_notice_recovery(const struct ftc_notice *n);

/* Writes the report of the job by @write, to report_file or standard error, if nobody else has or
 * is at it; false if somebody is. */
bool ftc_notice_report(const struct ftc_notice *n, void (*write)(FILE *f, const void *context),
                       const void *context);

/* The report, if there is something to report that nobody else has: which ranks failed, how, and
 * that the job ended before MPI_Finalize was through. Waits a second at most for another process
 * that is writing one. False if there is nothing to report. */
bool ftc_notice_last_report(const struct ftc_notice *n);

#endif
