/* Run of a job: its folder, its processes, its time limit, and its output. */
#include "rehearsal.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SIGNALLED = 128,
    PATIENCE_S = 5, /* for a job to end after SIGTERM, before SIGKILL */
    FILES_OPEN = 16,
    NAME_BYTES = PATH_MAX + 16,
};

/* ---- files ---- */

bool rehearse_open(struct rehearse_job *job)
{
    const char *base = getenv("TMPDIR");

    snprintf(job->folder, sizeof job->folder, "%s/ftcoll.XXXXXX", base && *base ? base : "/tmp");
    if (mkdtemp(job->folder))
        return true;
    ftc_command_say("cannot create a folder for the runs, %s: %s", job->folder, strerror(errno));
    return false;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status, (void)type, (void)at;
    return remove(path);
}

static void remove_folder(const char *path)
{
    nftw(path, remove_one, FILES_OPEN, FTW_DEPTH | FTW_PHYS);
}

void rehearse_close(const struct rehearse_job *job)
{
    remove_folder(job->folder);
}

/* Writes the path of @name in the folder of temporary files to @path, and returns it. */
static const char *in_folder(const struct rehearse_job *job, const char *name,
                             char path[NAME_BYTES])
{
    snprintf(path, NAME_BYTES, "%s/%s", job->folder, name);
    return path;
}

/* Returns the contents of a regular file, which the caller frees. A zero byte follows the *@bytes
 * bytes of the file. Returns NULL if the file cannot be read. */
static char *read_file(const char *path, size_t *bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    char *text = NULL;
    ssize_t got;

    *bytes = 0;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        text = malloc((size_t)status.st_size + 1);
    while (text && *bytes < (size_t)status.st_size &&
           (got = read(fd, text + *bytes, (size_t)status.st_size - *bytes)) > 0)
        *bytes += (size_t)got;
    if (text)
        text[*bytes] = '\0';
    if (fd >= 0)
        close(fd);
    return text;
}

/* ---- the output ---- */

static void add_output(struct rehearse_run *run, const char *path, const char *name)
{
    struct rehearse_output o = {.text = read_file(path, &o.bytes)};

    if (!o.text)
        return;
    run->output = realloc(run->output, (run->outputs + 1) * sizeof *run->output);
    o.name = strdup(name);
    if (!run->output || !o.name)
        abort();
    run->output[run->outputs++] = o;
}

/* Arguments of add_file(), because nftw() passes none on: the run, and the bytes of a path to
 * skip. */
static struct rehearse_run *walked;
static size_t skipped;

static int add_file(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status, (void)at;
    if (type == FTW_F)
        add_output(walked, path, path + skipped);
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct rehearse_output *)a)->name,
                  ((const struct rehearse_output *)b)->name);
}

/* Reads the output of a run. Returns false after printing that it cannot be read. */
static bool collect(const struct rehearse_job *job, struct rehearse_run *run)
{
    char path[NAME_BYTES];
    size_t bytes;

    run->errors = read_file(in_folder(job, "errors", path), &bytes);
    run->report = json_load_file(in_folder(job, "report", path), 0, NULL);
    add_output(run, in_folder(job, "output", path), "");
    if (job->outputs) {
        in_folder(job, "copy", path);
        walked = run;
        skipped = strlen(path) + 1;
        nftw(path, add_file, FILES_OPEN, FTW_PHYS);
        qsort(run->output, run->outputs, sizeof *run->output, by_name);
    }
    if (run->errors && run->outputs > 0 && run->output[0].name[0] == '\0')
        return true;
    ftc_command_say("the output of the job cannot be read in %s", job->folder);
    rehearse_run_free(run);
    return false;
}

void rehearse_run_free(struct rehearse_run *run)
{
    for (size_t i = 0; i < run->outputs; i++) {
        free(run->output[i].name);
        free(run->output[i].text);
    }
    free(run->output);
    free(run->errors);
    json_decref(run->report);
    *run = (struct rehearse_run){0};
}

/* ---- processes ---- */

/* Signals that the command waits for: that of the end of the job, and those that end the
 * command. */
static const int signals[] = {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

static void redirect(int to, const char *path, int flags)
{
    int fd = open(path, flags | O_NOCTTY, S_IRUSR | S_IWUSR);

    if (fd < 0 || dup2(fd, to) < 0)
        _exit(FTC_COMMAND_NOT_EXECUTED);
    close(fd);
}

/* Executes the job in this process, a child, in a process group of its own. Does not return. */
static void become(const struct rehearse_job *job, const struct rehearse_settings *settings,
                   const char *crash)
{
    char path[NAME_BYTES];

    setpgid(0, 0);
    for (int i = 0; i < settings->count; i++)
        putenv(strdup(settings->variable[i]));
    setenv("FTCOLL_REPORT", "coverage", 1);
    setenv("FTCOLL_REPORT_FORMAT", "json", 1);
    setenv("FTCOLL_REPORT_FILE", in_folder(job, "report", path), 1);
    setenv("FTCOLL_CRASH", crash ? crash : "", 1);
    redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
    redirect(STDOUT_FILENO, in_folder(job, "output", path), O_WRONLY | O_CREAT | O_TRUNC);
    redirect(STDERR_FILENO, in_folder(job, "errors", path), O_WRONLY | O_CREAT | O_TRUNC);
    if (job->outputs && chdir(in_folder(job, "copy", path)) != 0)
        _exit(FTC_COMMAND_NOT_EXECUTED);
    _exit(ftc_command_execute(job->command));
}

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Waits until process @pid has ended, at most until now_s() is @end_s; 0 means no limit. Returns 0
 * if the process has ended, SIGALRM if the time is over, or another signal of @set that has
 * arrived. */
static int await(pid_t pid, const sigset_t *set, double end_s, int *status)
{
    while (waitpid(pid, status, WNOHANG) == 0) {
        double left = end_s > 0 ? end_s - now_s() : 3600;
        struct timespec t = {.tv_sec = (time_t)left,
                             .tv_nsec = (long)((left - (double)(time_t)left) * 1e9)};
        int number;

        if (left <= 0)
            return SIGALRM;
        number = sigtimedwait(set, NULL, &t);
        if (number > 0 && number != SIGCHLD)
            return number;
    }
    return 0;
}

/* Sends SIGTERM to the process group of the job, so that the launcher ends its ranks. Then kills
 * the rest of the group, at the latest after PATIENCE_S. */
static void end(pid_t pid, const sigset_t *set, int *status)
{
    bool has_ended;

    kill(-pid, SIGTERM);
    has_ended = await(pid, set, now_s() + PATIENCE_S, status) == 0;
    kill(-pid, SIGKILL);
    while (!has_ended && waitpid(pid, status, 0) < 0 && errno == EINTR)
        ;
}

static pid_t start(const struct rehearse_job *job, const struct rehearse_settings *settings,
                   const char *crash, const sigset_t *before)
{
    pid_t pid = fork();

    if (pid == 0) {
        sigprocmask(SIG_SETMASK, before, NULL);
        become(job, settings, crash);
    }
    if (pid > 0)
        setpgid(pid, pid); /* parent and child both do this, because either may be first */
    return pid;
}

/* ---- one run ---- */

/* Copies the folder of outputs by cp(1), which preserves links, holes and permissions. Returns
 * false after printing why that failed. */
static bool copy(const struct rehearse_job *job)
{
    char from[PATH_MAX], path[NAME_BYTES];
    int status = -1;
    pid_t pid;

    in_folder(job, "copy", path);
    remove_folder(path);
    snprintf(from, sizeof from, "%s/.", job->outputs);
    pid = mkdir(path, S_IRWXU) == 0 ? fork() : -1;
    if (pid == 0) {
        execlp("cp", "cp", "-a", "--", from, path, (char *)NULL);
        _exit(FTC_COMMAND_NOT_FOUND);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (status != 0)
        ftc_command_say("%s cannot be copied to %s", job->outputs, path);
    return status == 0;
}

static int watch(const struct rehearse_job *job, pid_t pid, const sigset_t *set,
                 struct rehearse_run *run)
{
    double begin_s = now_s();
    int status = 0;
    int number = await(pid, set, job->limit_s > 0 ? begin_s + job->limit_s : 0, &status);

    if (number != 0)
        end(pid, set, &status);
    run->seconds = now_s() - begin_s;
    run->is_over_limit = number == SIGALRM;
    run->status = WIFSIGNALED(status) ? SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
    return number == 0 || number == SIGALRM ? FTC_COMMAND_GOOD : SIGNALLED + number;
}

int rehearse_run(const struct rehearse_job *job, const struct rehearse_settings *settings,
                 const char *crash, struct rehearse_run *run)
{
    char path[NAME_BYTES];
    sigset_t before, set;
    int status = FTC_COMMAND_NOT_EXECUTED;
    pid_t pid;

    *run = (struct rehearse_run){0};
    if (job->outputs && !copy(job))
        return FTC_COMMAND_BAD;
    unlink(in_folder(job, "report", path));
    set = ftc_command_block(signals, SIGNALS, &before);
    pid = start(job, settings, crash, &before);
    if (pid > 0)
        status = watch(job, pid, &set, run);
    else
        ftc_command_say("the job cannot be started: %s", strerror(errno));
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (status == FTC_COMMAND_GOOD && !collect(job, run))
        status = FTC_COMMAND_BAD;
    return status;
}
