/* rehearsal: ftcoll rehearse kills one rank in each run of a job, and compares the output with what
 * the outputs of two undisturbed runs have in common.
 *
 * rehearse.c        the subcommand: its arguments, the order of the runs
 * rehearse_plan.c   the plan: rank and place of each death
 * rehearse_run.c    one run: its folder, its processes, its time limit
 * rehearse_same.c   comparison of outputs
 * rehearse_judge.c  outcome of a death
 * rehearse_advice.c settings that are tried on deaths that did not end well
 * rehearse_table.c  the progress bar, and the result as text and as JSON */
#ifndef FTC_CONFIG_REHEARSAL_H
#define FTC_CONFIG_REHEARSAL_H

#include "command.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* ---- one run ---- */

/* Output of a run: a file of the folder, or standard output, whose name is empty. */
struct rehearse_output {
    char *name, *text;
    size_t bytes;
};

struct rehearse_run {
    double seconds;
    int status;                     /* exit status, or 128 plus the signal that ended it */
    bool is_over_limit;             /* the run was ended at its time limit */
    char *errors;                   /* text of standard error */
    json_t *report;                 /* NULL: the run wrote none */
    struct rehearse_output *output; /* standard output first, then files by name */
    size_t outputs;
};

/* Settings as environment variables, such as "FTCOLL_F=2". */
enum { REHEARSE_SETTINGS_MAX = 16 };
struct rehearse_settings {
    const char *variable[REHEARSE_SETTINGS_MAX];
    int count;
};

struct rehearse_job {
    char **command;
    const char *outputs;   /* folder that each run has a copy of, to work in; NULL: none */
    char folder[PATH_MAX]; /* folder of temporary files */
    double limit_s;        /* time limit of a run; 0: none */
    int failure_status;    /* value of setting failure_exit_status */
};

/* Creates the folder of temporary files. Returns false after printing why that failed. */
bool rehearse_open(struct rehearse_job *job);
void rehearse_close(const struct rehearse_job *job);

/* Runs the job with @settings, and with setting crash unless @crash is NULL. Returns
 * FTC_COMMAND_GOOD with @run filled, which the caller frees by rehearse_run_free(). Otherwise
 * returns an exit status: FTC_COMMAND_BAD after printing that the folder cannot be copied or the
 * output cannot be read, FTC_COMMAND_NOT_EXECUTED after printing that the job cannot be started, or
 * 128 plus the signal that this command received while it waited. After such a signal the job has
 * been ended. */
int rehearse_run(const struct rehearse_job *job, const struct rehearse_settings *settings,
                 const char *crash, struct rehearse_run *run);
void rehearse_run_free(struct rehearse_run *run);

/* ---- comparison of outputs ---- */

/* Returns whether @c has all that @a and @b, the same output of two undisturbed runs, have in
 * common. Lines count in any order. A number counts if @a and @b have the same number in its place.
 * Lines that resemble no line of @a or @b are allowed as far as @a and @b differ in lines, too. A
 * binary output (one with a byte 0) must equal @a or @b, unless @a and @b differ. */
bool rehearse_is_same(const struct rehearse_output *a, const struct rehearse_output *b,
                      const struct rehearse_output *c);

/* ---- the plan ---- */

struct rehearse_site {
    const char *call, *site, *fate; /* texts of the plan's report */
    long calls;                     /* calls of each rank there, on average */
    int ranks, first_rank, last_rank;
    bool is_protected;
};

enum rehearse_end {
    REHEARSE_SAME, /* the job completed, with the same output */
    REHEARSE_OTHER,
    REHEARSE_NOTHING, /* an output is missing or empty */
    REHEARSE_ERROR,
    REHEARSE_ABORTED,
    REHEARSE_CRASHED,
    REHEARSE_BLOCKED,
    REHEARSE_OVER_LIMIT,
    REHEARSE_LIVED, /* the rank made no such call, so it was not killed */
    REHEARSE_ENDS,
};

struct rehearse_outcome {
    enum rehearse_end end;
    int status;
    char detail[512];
};

enum { REHEARSE_CRASH_MAX = 256 };
struct rehearse_death {
    int rank;
    const struct rehearse_site *site; /* NULL: before the first protected operation */
    long call;
    const char *point;              /* POINT of setting crash */
    char crash[REHEARSE_CRASH_MAX]; /* value of setting crash */
    struct rehearse_outcome outcome;
};

struct rehearse_plan {
    json_t *report; /* report of an undisturbed run; owns the texts of the sites */
    int ranks;
    struct rehearse_site *site;
    int sites, sites_left_out, ranks_left_out;
    struct rehearse_death *death;
    int deaths;
};

/* Plans at most @deaths deaths from the @report of an undisturbed run, and takes a reference to
 * @report. Returns false if there is no call to rehearse. In both cases the caller frees @plan by
 * rehearse_plan_free(). */
bool rehearse_plan_make(struct rehearse_plan *plan, json_t *report, int deaths);
void rehearse_plan_free(struct rehearse_plan *plan);

/* Moves @death, whose rank did not make the call, to another call at its site: first to before the
 * first call of the same rank there, then to before the first call of the lowest rank that calls
 * there. Returns false if there is no other call to move to. */
bool rehearse_plan_move(struct rehearse_death *death);

/* ---- outcome of a death ---- */

/* Returns the outcome of @run, in which rank @victim was to be killed, by comparison with two
 * undisturbed runs. @failure_status is the exit status of a job that tolerated all deaths (setting
 * failure_exit_status). */
struct rehearse_outcome rehearse_judge(const struct rehearse_run undisturbed[2],
                                       const struct rehearse_run *run, int victim,
                                       int failure_status);

/* Returns whether the output is wrong or missing although the exit status is 0. */
bool rehearse_is_silent(const struct rehearse_outcome *o);

/* ---- the rehearsal ---- */

enum { REHEARSE_TRIES_MAX = 8 };

/* Settings that were tried, and the outcomes of the deaths with them. */
struct rehearse_try {
    struct rehearse_settings settings;
    int deaths, ends[REHEARSE_ENDS], silent;
    bool is_kept;
};

struct rehearsal {
    struct rehearse_job job;
    struct rehearse_run undisturbed[2];
    struct rehearse_plan plan;
    struct rehearse_try try[REHEARSE_TRIES_MAX];
    int tries;
    struct rehearse_settings advice;  /* empty: no better settings were found */
    struct rehearse_outcome *advised; /* outcome of each death with advice; NULL: no advice */
    int runs, runs_expected;          /* numbers in the progress bar */
    bool is_terminal;
};

/* Counts one more run, and draws the progress bar if standard error is a terminal. */
void rehearse_progress(struct rehearsal *r);
void rehearse_erase_progress(const struct rehearsal *r);

/* Runs death @i of the plan with @settings and sets @outcome. While the rank lives and @settings is
 * empty, moves the death and runs it again. Returns as rehearse_run(). */
int rehearse_death(struct rehearsal *r, int i, const struct rehearse_settings *settings,
                   struct rehearse_outcome *outcome);

/* Tries settings on the deaths that did not end well. Fills tries, advice and advised. Returns as
 * rehearse_run(). */
int rehearse_advise(struct rehearsal *r);

void rehearse_write(const struct rehearsal *r);
void rehearse_write_json(const struct rehearsal *r);

#endif
