/* ftcoll coverage: runs a job that reports its coverage, and prints the report. */
#include "command.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    SIGNALLED = 128, /* base of the exit status for a signal that ended the command */
    NAME_MAX_BYTES = 2 * PATH_MAX + 16,
};

/* Place of the report: a file that the user has named, or one in a temporary folder. */
struct place {
    const char *wanted; /* file that the user has named; NULL: none */
    char folder[PATH_MAX];
    char report[2 * PATH_MAX];
};

static int make_place(struct place *p)
{
    const char *base = getenv("TMPDIR");
    char here[PATH_MAX];

    if (p->wanted && access(p->wanted, F_OK) == 0) {
        ftc_command_say("%s exists already, and a report overwrites no file", p->wanted);
        return FTC_COMMAND_MISUSE;
    }
    if (p->wanted) {
        bool is_relative = p->wanted[0] != '/' && getcwd(here, sizeof here);

        snprintf(p->report, sizeof p->report, "%s%s%s", is_relative ? here : "",
                 is_relative ? "/" : "", p->wanted);
        return FTC_COMMAND_GOOD;
    }
    snprintf(p->folder, sizeof p->folder, "%s/ftcoll.XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(p->folder)) {
        ftc_command_say("cannot create a folder for the report, %s: %s", p->folder,
                        strerror(errno));
        return FTC_COMMAND_MISUSE;
    }
    snprintf(p->report, sizeof p->report, "%s/report", p->folder);
    return FTC_COMMAND_GOOD;
}

/* Writes the name of the report with this number to @path and returns it: report, report.1, ... A
 * command that starts several jobs leaves a report of each. */
static const char *name_of(const struct place *p, int number, char path[NAME_MAX_BYTES])
{
    snprintf(path, NAME_MAX_BYTES, number == 0 ? "%s" : "%s.%d", p->report, number);
    return path;
}

static void remove_place(const struct place *p)
{
    char path[NAME_MAX_BYTES];

    if (p->wanted)
        return;
    for (int i = 0; unlink(name_of(p, i, path)) == 0; i++)
        ;
    rmdir(p->folder);
}

/* ---- the job ---- */

static pid_t job;

/* Signals of the terminal (the first TERMINALS), which the job gets as well, and signals of a batch
 * system. */
static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals, TERMINALS = 2 };

static void pass_on(int number)
{
    kill(job, number);
}

/* Ignores signals of the terminal and passes the others on to the job. */
static void handle_signals(void)
{
    for (int i = 0; i < SIGNALS; i++)
        signal(signals[i], i < TERMINALS ? SIG_IGN : pass_on);
}

/* Runs @command and returns its exit status. A job that a signal ends writes a report, too, so this
 * process must outlive the job. A signal that arrives before the job exists stays blocked until
 * then. */
static int run(char **command)
{
    sigset_t before;
    int status = 0;

    ftc_command_block(signals, SIGNALS, &before);
    job = fork();
    if (job > 0)
        handle_signals();
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (job == 0)
        _exit(ftc_command_execute(command));
    if (job < 0) {
        ftc_command_say("%s: %s", command[0], strerror(errno));
        return FTC_COMMAND_NOT_EXECUTED;
    }
    while (waitpid(job, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFSIGNALED(status) ? SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- the report ---- */

/* Sets *@settings to the settings in @line, "verdict with FTCOLL_A=x FTCOLL_B=y: ...", in place of
 * earlier ones. Leaves *@settings as it is if @line is another line. */
static void keep_settings(const char *line, char **settings)
{
    static const char start[] = "verdict with ";
    const char *end = strstr(line, ": ");

    if (strncmp(line, start, sizeof start - 1) != 0 || !end)
        return;
    free(*settings);
    *settings = strndup(line + sizeof start - 1, (size_t)(end - line) - (sizeof start - 1));
}

static bool tell(const char *path)
{
    static const char prefix[] = "ftcoll: ";
    FILE *f = fopen(path, "r");
    char *line = NULL, *settings = NULL;
    size_t size = 0;

    if (!f)
        return false;
    while (getline(&line, &size, f) > 0) {
        bool has = strncmp(line, prefix, sizeof prefix - 1) == 0;
        const char *text = has ? line + sizeof prefix - 1 : line;

        fputs(text, stdout);
        keep_settings(text, &settings);
    }
    if (settings)
        printf("\n    export %s\n", settings);
    free(settings);
    free(line);
    fclose(f);
    return true;
}

static int report_all(const struct place *p, int status)
{
    char path[NAME_MAX_BYTES];
    int reports = 0;

    while (tell(name_of(p, reports, path)))
        reports++;
    if (reports > 0 || status == FTC_COMMAND_NOT_FOUND || status == FTC_COMMAND_NOT_EXECUTED)
        return status;
    ftc_command_say("no report was written: no rank had the library, the library was not active "
                    "(ftcoll run report=summary prints why), or the ranks cannot write %s",
                    p->report);
    return status == 0 ? FTC_COMMAND_BAD : status;
}

/* ---- the subcommand ---- */

static error_t take(int key, char *argument, struct argp_state *state)
{
    if (key != 'o')
        return ARGP_ERR_UNKNOWN;
    ((struct place *)state->input)->wanted = argument;
    return 0;
}

/* Puts settings for a report of coverage into the environment, in place of what the user has set
 * for reports. */
static void ask_for_coverage(const struct place *p)
{
    setenv("FTCOLL_REPORT", "coverage", 1);
    setenv("FTCOLL_REPORT_FILE", p->report, 1);
    setenv("FTCOLL_REPORT_FORMAT", "text", 1);
}

int ftcoll_coverage(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"output", 'o', "FILE", 0,
         "keeps the report in FILE, which the job's hosts must be able to write", 0},
        {0}};
    static const struct argp own = {.options = options, .parser = take};
    struct place place = {0};
    int status;
    char **command = ftc_command_launch(
        argc, argv,
        "Runs a job, and prints for each call site whether it is protected, a verdict, and the "
        "settings that would help, as a line for the shell. The exit status is that of the "
        "command, or 1 if no report was written.\v"
        "For example: ftcoll coverage -- mpiexec.hydra -n 4 ./program",
        &own, &place, &status);

    if (!command)
        return status;
    status = make_place(&place);
    if (status != FTC_COMMAND_GOOD)
        return status;
    ask_for_coverage(&place);
    status = report_all(&place, run(command));
    remove_place(&place);
    return status;
}
