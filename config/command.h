/* command: ftcoll, the command beside the library, and the functions that its subcommands share.
 * The command is not part of the library, but is linked with the library's settings, tables and
 * policy.
 *
 * A subcommand is a line of commands.def and a function ftcoll_NAME(). The function gets the
 * arguments of the subcommand, with argv[0] = "ftcoll NAME", and parses them with argp. It writes
 * its result to standard output and errors to standard error, and returns the exit status. */
#ifndef FTC_CONFIG_COMMAND_H
#define FTC_CONFIG_COMMAND_H

#include "settings.h"

#include <argp.h>
#include <signal.h>

#define FTC_COMMAND(name, arguments, meaning) int ftcoll_##name(int argc, char **argv);
#include "commands.def"
#undef FTC_COMMAND

/* Exit statuses of the command itself; 126 and 127 are as in env(1). A subcommand that starts
 * another command returns the exit status of that command. */
enum {
    FTC_COMMAND_GOOD = 0,
    FTC_COMMAND_BAD = 1,    /* the input is wrong or lacks what was asked for */
    FTC_COMMAND_MISUSE = 2, /* wrong arguments or settings: nothing has been done */
    FTC_COMMAND_NOT_EXECUTED = 126,
    FTC_COMMAND_NOT_FOUND = 127,
};

/* Prints "ftcoll: ..." as one line on standard error, after flushing standard output. */
__attribute__((format(printf, 1, 2))) void ftc_command_say(const char *format, ...);

/* Returns the files that a subcommand is to read: the part of @argv from the first file to the
 * final NULL. Exits with an error if there is no file. With --help, prints @meaning and exits. */
char **ftc_command_files(int argc, char **argv, const char *meaning);

/* ---- settings ---- */

/* Fills @s and @sources with the settings that a job started here would have. Returns
 * FTC_COMMAND_GOOD, or FTC_COMMAND_MISUSE after printing what is wrong. */
int ftc_command_settings(struct ftc_settings *s, struct ftc_settings_sources *sources);

/* Returns whether @text is a valid value of setting crash. */
bool ftc_command_understands_crash(const char *text);

/* ---- library.c ---- */

/* Writes to @path where the library is that belongs to this command: in the directory of the
 * command, as in the build tree, else where `make install` puts it. Returns false if there is none.
 * @path is then where `make install` puts it. */
bool ftc_command_library(char path[PATH_MAX]);

/* Adds the library to LD_PRELOAD, after all other libraries there, in place of other copies of it.
 * Returns FTC_COMMAND_GOOD, or FTC_COMMAND_MISUSE after printing why that is not possible. */
int ftc_command_preload(void);

/* ---- launch.c ---- */

/* Parses the arguments of a subcommand that starts a job, [SETTING=VALUE | --SETTING=VALUE]... [--]
 * COMMAND [ARGUMENT...], and puts the settings and the library into the environment. @meaning is
 * the text of --help. @own has further options, or is NULL. The parser of @own gets @input as
 * state->input.
 *
 * Returns the part of @argv that begins with the command, with *@status FTC_COMMAND_GOOD. If the
 * job cannot be started, prints why and returns NULL, with the exit status in *@status. Exits if an
 * argument is wrong. */
char **ftc_command_launch(int argc, char **argv, const char *meaning, const struct argp *own,
                          void *input, int *status);

/* Finds program @name as execvp() does and writes its path to @path. Returns false if PATH has no
 * executable of this name. */
bool ftc_command_find(const char *name, char path[PATH_MAX]);

/* Blocks the @count @signals and returns them as a set. *@before gets the previous signal mask. */
sigset_t ftc_command_block(const int signals[], int count, sigset_t *before);

/* Executes @command in place of this process. Returns only if that fails: an exit status, after
 * printing why. */
int ftc_command_execute(char **command);

#endif
