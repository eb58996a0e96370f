#include "command.h"

#include "progress/crash.h"

#include <stdarg.h>
#include <stdio.h>

void ftc_command_say(const char *format, ...)
{
    char text[sizeof(struct ftc_settings_error) + 64];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fflush(stdout);
    fprintf(stderr, "ftcoll: %s\n", text);
}

static error_t take_files(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    switch (key) {
    case ARGP_KEY_ARGS:
        *(char ***)state->input = state->argv + state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which file?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

char **ftc_command_files(int argc, char **argv, const char *meaning)
{
    const struct argp argp = {.parser = take_files, .args_doc = "FILE...", .doc = meaning};
    char **files = NULL;

    argp_parse(&argp, argc, argv, 0, NULL, &files);
    return files;
}

bool ftc_command_understands_crash(const char *text)
{
    return ftc_crash_parse(text, 0);
}

int ftc_command_settings(struct ftc_settings *s, struct ftc_settings_sources *sources)
{
    struct ftc_settings_error error;

    if (ftc_settings_load_with_sources(s, sources, &error) != 0)
        ftc_command_say("%s", error.text);
    else if (!ftc_command_understands_crash(s->crash))
        ftc_command_say("%s", FTC_CRASH_REFUSED);
    else
        return FTC_COMMAND_GOOD;
    return FTC_COMMAND_MISUSE;
}
