/* ftcoll: main(), which finds the subcommand and calls it. */
#include "../include/ftcoll.h"
#include "command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* Text of --version. argp, in the C library, reads this variable. */
__attribute__((visibility("default"))) const char *argp_program_version = "ftcoll " FTCOLL_VERSION;

static const struct command {
    const char *name, *help, *meaning;
    int (*run)(int argc, char **argv);
} commands[] = {
#define FTC_COMMAND(name, arguments, meaning) {#name, #name " " arguments, meaning, ftcoll_##name},
#include "commands.def"
#undef FTC_COMMAND
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static const struct command *find(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int run(const struct command *command, int argc, char **argv)
{
    static char name[32];

    snprintf(name, sizeof name, "ftcoll %s", command->name);
    argv[0] = name;
    return command->run(argc, argv);
}

/* Runs the subcommand: the first argument that is not an option. All later arguments belong to the
 * subcommand. */
static error_t take(int key, char *argument, struct argp_state *state)
{
    const struct command *command;

    switch (key) {
    case ARGP_KEY_ARG:
        command = find(argument);
        if (!command)
            argp_error(state, "there is no command '%s'", argument);
        else
            *(int *)state->input =
                run(command, state->argc - state->next + 1, state->argv + state->next - 1);
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_state_help(state, stderr,
                        ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC |
                            ARGP_HELP_EXIT_ERR);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Fills @options with the part of the help that lists the subcommands, one in a line. */
static void describe(struct argp_option options[COMMANDS + 2])
{
    memset(options, 0, (COMMANDS + 2) * sizeof *options);
    options[0].doc = "Commands:";
    for (int i = 0; i < COMMANDS; i++)
        options[1 + i] = (struct argp_option){.name = commands[i].help,
                                              .doc = commands[i].meaning,
                                              .flags = OPTION_DOC | OPTION_NO_USAGE};
}

static int finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    ftc_command_say("standard output: %s", strerror(errno));
    return FTC_COMMAND_BAD;
}

int main(int argc, char **argv)
{
    struct argp_option options[COMMANDS + 2];
    struct argp argp = {options,
                        take,
                        "COMMAND [ARGUMENT...]",
                        "MPI collectives that survive dead ranks: the command of libftcoll.so."
                        "\v'ftcoll COMMAND --help' describes one command, ftcoll(1) all "
                        "commands, and ftcoll(7) what is protected.",
                        NULL,
                        NULL,
                        NULL};
    int status = FTC_COMMAND_MISUSE;

    argp_err_exit_status = FTC_COMMAND_MISUSE;
    if (getauxval(AT_SECURE) != 0) {
        ftc_command_say("this command has more rights than its user (setuid), so it does nothing");
        return status;
    }
    describe(options);
    argv[0] = (char[]){"ftcoll"};
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &status);
    return finish(status);
}
