/* ftcoll check: prints each wrong line of a settings file. */
#include "command.h"

#include "progress/crash.h"

static void tell(const char *text)
{
    ftc_command_say("%s", text);
}

static int check(const char *path)
{
    struct ftc_settings s;
    struct ftc_settings_sources sources;
    int wrong = ftc_settings_check_file(path, &s, &sources, tell), set = 0;

    if (wrong >= 0 && !ftc_command_understands_crash(s.crash)) {
        ftc_command_say("%s:%d: %s", path, sources.line[FTC_SETTING_crash], FTC_CRASH_REFUSED);
        wrong++;
    }
    for (int i = 0; i < FTC_SETTINGS_COUNT; i++)
        set += sources.line[i] > 0;
    if (wrong == 0)
        printf("%s: understood, %d setting%s\n", path, set, set == 1 ? "" : "s");
    return wrong == 0 ? FTC_COMMAND_GOOD : FTC_COMMAND_BAD;
}

int ftcoll_check(int argc, char **argv)
{
    char **file = ftc_command_files(
        argc, argv,
        "Reads settings files as the library does, and prints each wrong line. The exit status is "
        "1 if a line is wrong, or if a file cannot be read or is not trusted.");
    int status = FTC_COMMAND_GOOD;

    for (; *file; file++)
        if (check(*file) != FTC_COMMAND_GOOD)
            status = FTC_COMMAND_BAD;
    return status;
}
