/* command: ftcoll, the command beside the library, and what its subcommands share. It is no part of
 * the library, whose settings, tables and policy it is linked with.
 *
 * A subcommand is a line of commands.def and a function ftcoll_NAME(), which gets its own arguments
 * behind argv[0], "ftcoll NAME", takes them apart with argp, writes what was asked for to standard
 * output, what is wrong to standard error, and returns its exit status. */
#ifndef FTC_CONFIG_COMMAND_H
#define FTC_CONFIG_COMMAND_H

#include "settings.h"

#include <argp.h>
#include <signal.h>

#define FTC_COMMAND(name, arguments, meaning) int ftcoll_##name(int argc, char **argv);
#include "commands.def"
#undef FTC_COMMAND

/* Exit statuses. Those of a command that is started are its own; 126 and 127 as with env(1). */
enum {
    FTC_COMMAND_GOOD = 0,
    FTC_COMMAND_BAD = 1,    /* what was looked at is wrong, or does not say what was asked */
    FTC_COMMAND_MISUSE = 2, /* of arguments or settings: nothing has been done */
    FTC_COMMAND_NOT_EXECUTED = 126,
    FTC_COMMAND_NOT_FOUND = 127,
};

/* "ftcoll: ..." on standard error, as one line. */
__attribute__((format(printf, 1, 2))) void ftc_command_say(const char *format, ...);

/* The files that a subcommand is to read, up to NULL. Exits if there is none, or with --help, which
 * says @meaning. */
char **ftc_command_files(int argc, char **argv, const char *meaning);

/* ---- settings ---- */

/* Takes those that a job started here would have. Returns FTC_COMMAND_GOOD, or has said what is
 * wrong. */
int ftc_command_settings(struct ftc_settings *s, struct ftc_settings_sources *sources);

/* True if value @text of setting crash is understood. */
bool ftc_command_understands_crash(const char *text);

/* ---- library.c ---- */

/* The library that goes with this command: beside it, as in the build tree, else where `make
 * install` has put both. Returns false if there is none; then @path is where it should be. */
bool ftc_command_library(char path[PATH_MAX]);

/* Adds the library to LD_PRELOAD, behind what is there. Returns FTC_COMMAND_GOOD, or has said why
 * that cannot be. */
int ftc_command_preload(void);

/* ---- launch.c ---- */

/* Takes the arguments of a subcommand that starts a job, [SETTING=VALUE | --SETTING=VALUE]... [--]
 * COMMAND [ARGUMENT...], and sets up its environment. @own are further options, which @take is
 * given, with @input in state->input; or NULL. Returns where in @argv the command begins, or NULL
 * with *@status, after it has said why nothing can be started. */
char **ftc_command_launch(int argc, char **argv, const char *meaning, const struct argp *own,
                          void *input, int *status);

/* Finds a program as execvp() does; false if there is none of this @name that can be executed. */
bool ftc_command_find(const char *name, char path[PATH_MAX]);

/* Blocks @count @signals until *@before is set again, and returns their set. */
sigset_t ftc_command_block(const int signals[], int count, sigset_t *before);

/* Becomes the command; returns an exit status if that fails, and has said why. */
int ftc_command_execute(char **command);

#endif
