/* MPI, launchers and environment variables on this machine. */
#include "surroundings.h"

#include "command.h"
#include "mpi/mpi_library.h"
#include "system/clock.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SAID_MAX = 8192, PATIENCE_MS = 5000 };

/* Returns the text between @label in @text and the end of the line, without blanks around it and
 * without a comma at its end. Returns JSON's null if @label is not there or the text is not
 * UTF-8. */
static json_t *value_behind(const char *text, const char *label)
{
    const char *at = strstr(text, label);
    json_t *value;
    size_t length;

    if (!at)
        return json_null();
    at += strlen(label);
    at += strspn(at, " \t");
    length = strcspn(at, "\n");
    while (length > 0 && strchr(" \t\r,", at[length - 1]))
        length--;
    value = json_stringn(at, length);
    return value ? value : json_null();
}

/* ---- launchers ---- */

/* Returns the time until @end_ms, or 0 if it has passed. */
static int left_ms(long end_ms)
{
    long left = end_ms - ftc_clock_ms();

    return left > 0 ? (int)left : 0;
}

/* Reads a pipe to its end into @text. Returns false if the end has not come by @end_ms, or if @text
 * has no room for all. */
static bool read_bounded(int fd, char text[SAID_MAX], long end_ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    size_t used = 0;
    ssize_t got = 1;

    while (got > 0 && used < SAID_MAX - 1 && poll(&p, 1, left_ms(end_ms)) == 1) {
        got = read(fd, text + used, SAID_MAX - 1 - used);
        used += got > 0 ? (size_t)got : 0;
    }
    text[used] = '\0';
    return got == 0;
}

/* Waits until process @child has ended, and kills it at @end_ms. Returns its status. */
static int await(pid_t child, long end_ms)
{
    int status = 0;

    while (waitpid(child, &status, WNOHANG) == 0) {
        if (left_ms(end_ms) == 0)
            kill(child, SIGKILL);
        poll(NULL, 0, 1);
    }
    return status;
}

/* Writes the output of "@path --version" to @text, or "" if the command fails or takes too long. */
static void ask(const char *path, char text[SAID_MAX])
{
    char *const arguments[] = {(char *)(uintptr_t)path, (char[]){"--version"}, NULL};
    posix_spawn_file_actions_t actions;
    long end_ms = ftc_clock_ms() + PATIENCE_MS;
    int ends[2], status = 0, rv;
    pid_t child;

    text[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    rv = posix_spawn(&child, path, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (rv == 0) {
        if (!read_bounded(ends[0], text, end_ms))
            kill(child, SIGKILL);
        status = await(child, end_ms);
    }
    if (status != 0)
        text[0] = '\0';
    close(ends[0]);
}

/* Kinds of launchers: a mark in their output, the label of their version, and whether their jobs
 * are protected. The first kind whose mark is found counts. The last two stand for any other output
 * and for no output. */
static const struct kind {
    const char *mark, *product, *label;
    bool serves;
    const char *because;
} kinds[] = {
    {"HYDRA", "Hydra", "Version:", true, NULL},
    {"slurm", "Slurm", " ", true, "with srun --mpi=pmi2"},
    {"Open MPI", "Open MPI", "Open MPI)", false, "of another MPI than MPICH"},
    {"OpenRTE", "Open MPI", "OpenRTE)", false, "of another MPI than MPICH"},
    {"\n", "", "", false, "not known"},
    {"", "", "", false, "it does not work here"},
};

static const struct kind *kind_of(const char *text)
{
    const struct kind *k = kinds;

    while (!strstr(text, k->mark))
        k++;
    return k;
}

static json_t *describe_launcher(const char *name, const char *path)
{
    char text[SAID_MAX];
    const struct kind *k;
    json_t *version, *said;

    ask(path, text);
    k = kind_of(text);
    said = value_behind(text, k->label);
    version = json_sprintf("%s%s%s", k->product, k->product[0] ? " " : "",
                           json_is_string(said) ? json_string_value(said) : "");
    json_decref(said);
    return json_pack("{s:s, s:s, s:o, s:b, s:s?}", "name", name, "path", path, "version", version,
                     "serves", k->serves, "because", k->because);
}

json_t *ftc_surroundings_launchers(void)
{
    static const char *const names[] = {"mpiexec.hydra", "mpiexec", "mpirun", "srun"};
    json_t *launchers = json_array();
    char path[PATH_MAX];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ftc_command_find(names[i], path))
            json_array_append_new(launchers, describe_launcher(names[i], path));
    return launchers;
}

/* ---- MPI ---- */

static bool open_library(const char *format, const char *folder)
{
    char name[PATH_MAX + 32];

    snprintf(name, sizeof name, format, folder);
    return dlopen(name, RTLD_LAZY | RTLD_GLOBAL) != NULL;
}

/* Opens the MPI library that is installed with mpiexec.hydra: in ../lib or ../lib64 of the
 * directory in which the launcher really is. */
static bool open_beside_launcher(void)
{
    char path[PATH_MAX], real[PATH_MAX], *slash;

    if (!ftc_command_find("mpiexec.hydra", path) || !realpath(path, real))
        return false;
    slash = strrchr(real, '/');
    *slash = '\0';
    return open_library("%s/../lib/libmpi.so.12", real) ||
           open_library("%s/../lib64/libmpi.so.12", real);
}

/* Opens the MPI library. libmpi.so.12 is the name in MPICH's ABI, and libmpich.so.12 is Debian's
 * name of MPICH. */
static bool open_mpi(void)
{
    return open_library("%s", "libmpi.so.12") || open_library("%s", "libmpich.so.12") ||
           open_beside_launcher();
}

json_t *ftc_surroundings_mpi(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    if (!open_mpi() || ftc_mpi_open(NULL) != FTC_MPI_MPICH)
        return json_null();
    PMPI_Get_library_version(text, &length);
    for (char *c = text; *c; c++)
        if (*c == '\t') /* MPICH has tabs after its labels */
            *c = ' ';
    return json_pack("{s:s, s:o, s:o, s:s?}", "path", ftc_mpi_object()->path, "version",
                     value_behind(text, ""), "device", value_behind(text, "Device:"), "lacks",
                     ftc_mpi_missing());
}

/* ---- variables ---- */

json_t *ftc_surroundings_environment(void)
{
    static const char *const names[] = {"LD_PRELOAD",    "FTCOLL_CONFIG", "PMI_RANK",
                                        "PMI_SIZE",      "SLURM_JOB_ID",  "SLURM_JOB_NUM_NODES",
                                        "SLURM_MPI_TYPE"};
    json_t *set = json_object();

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            json_object_set_new(set, names[i], json_string(getenv(names[i])));
    return set;
}
