/* rehearsal: ftcoll rehearse kills one rank in each run of a job, and compares what comes of it
 * with what two undisturbed runs have in common.
 *
 * rehearse.c        the subcommand: its arguments, the order of the runs
 * rehearse_plan.c   which rank is killed where
 * rehearse_run.c    one run: its folder, its processes, its limit
 * rehearse_same.c   whether two outputs are the same
 * rehearse_judge.c  what a death has led to
 * rehearse_advice.c settings that are tried on deaths that did not end well
 * rehearse_table.c  the bar, and the result as text and as JSON */
#ifndef FTC_CONFIG_REHEARSAL_H
#define FTC_CONFIG_REHEARSAL_H

#include "command.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* ---- one run ---- */

/* An output of a run: a file of the folder, or standard output, which has an empty name. */
struct rehearse_output {
    char *name, *text;
    size_t bytes;
};

struct rehearse_run {
    double seconds;
    int status;                     /* as a shell has it: 128 and the signal */
    bool is_over_limit;             /* it was ended */
    char *errors;                   /* standard error */
    json_t *report;                 /* NULL: none has come */
    struct rehearse_output *output; /* standard output first, then files in the order of names */
    size_t outputs;
};

/* Settings as they go into the environment, "FTCOLL_F=2". */
enum { REHEARSE_SETTINGS_MAX = 16 };
struct rehearse_settings {
    const char *variable[REHEARSE_SETTINGS_MAX];
    int count;
};

struct rehearse_job {
    char **command;
    const char *outputs;   /* folder whose copies the runs work in; NULL: they work here */
    char folder[PATH_MAX]; /* of temporary files */
    double limit_s;        /* of a run; 0: none */
    int failure_status;    /* setting failure_exit_status */
};

/* Makes the folder of temporary files; false after it has said why not. */
bool rehearse_open(struct rehearse_job *job);
void rehearse_close(const struct rehearse_job *job);

/* Runs the job with @settings and, unless it is NULL, setting crash. Returns FTC_COMMAND_GOOD, or
 * an exit status after it has said why the job could not be run, or that a signal has ended it. */
int rehearse_run(const struct rehearse_job *job, const struct rehearse_settings *settings,
                 const char *crash, struct rehearse_run *run);
void rehearse_run_free(struct rehearse_run *run);

/* ---- whether outputs are the same ---- */

/* Whether @c has all that @a and @b have in common, and no line that is like none of theirs. Lines
 * count in any order. A number counts if @a and @b have the same numbers in its place. */
bool rehearse_is_same(const struct rehearse_output *a, const struct rehearse_output *b,
                      const struct rehearse_output *c);

/* ---- the plan ---- */

struct rehearse_site {
    const char *call, *site, *fate; /* of the report */
    long calls;                     /* of a rank */
    int ranks, first_rank, last_rank;
    bool is_protected;
};

enum rehearse_end {
    REHEARSE_SAME, /* went on and ended: the same output */
    REHEARSE_OTHER,
    REHEARSE_NOTHING, /* no output */
    REHEARSE_ERROR,
    REHEARSE_ABORTED,
    REHEARSE_CRASHED,
    REHEARSE_BLOCKED,
    REHEARSE_OVER_LIMIT,
    REHEARSE_LIVED, /* the rank did not come there */
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
    const struct rehearse_site *site; /* NULL: start-up */
    long call;
    const char *point;              /* of setting crash */
    char crash[REHEARSE_CRASH_MAX]; /* the setting */
    struct rehearse_outcome outcome;
};

struct rehearse_plan {
    json_t *report; /* of the undisturbed run, which the texts of the sites belong to */
    int ranks;
    struct rehearse_site *site;
    int sites, sites_left_out, ranks_left_out;
    struct rehearse_death *death;
    int deaths;
};

/* Plans at most @deaths deaths from the @report of an undisturbed run. False without any. */
bool rehearse_plan_make(struct rehearse_plan *plan, json_t *report, int deaths);
void rehearse_plan_free(struct rehearse_plan *plan);

/* Moves a death that its rank did not come to: to the first call there, then to the lowest rank
 * that calls it. False if there is no other place. */
bool rehearse_plan_move(struct rehearse_death *death);

/* ---- what a death has led to ---- */

/* Compares @run with two undisturbed runs. */
struct rehearse_outcome rehearse_judge(const struct rehearse_run undisturbed[2],
                                       const struct rehearse_run *run, int victim,
                                       int failure_status);

/* True for a result that is not right and that no exit status shows. */
bool rehearse_is_silent(const struct rehearse_outcome *o);

/* ---- the whole ---- */

enum { REHEARSE_TRIES_MAX = 8 };

/* Settings that were tried on the deaths that needed them. */
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
    struct rehearse_settings advice;  /* none: nothing better was found */
    struct rehearse_outcome *advised; /* of each death with these; NULL: no advice */
    int runs, runs_expected;          /* for the bar */
    bool is_terminal;
};

/* Draws the bar after one more run, if standard error is a terminal. */
void rehearse_progress(struct rehearsal *r);
void rehearse_erase_progress(const struct rehearsal *r);

/* Runs death @i of the plan with @settings. Returns as rehearse_run(). */
int rehearse_death(struct rehearsal *r, int i, const struct rehearse_settings *settings,
                   struct rehearse_outcome *outcome);

/* Fills tries and advice. Returns as rehearse_run(). */
int rehearse_advise(struct rehearsal *r);

void rehearse_write(const struct rehearsal *r);
void rehearse_write_json(const struct rehearsal *r);

#endif
