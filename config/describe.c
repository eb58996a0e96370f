/* describe: writes ftcoll.conf.example, or the settings in ftcoll(7), from the table of options. */
#include "settings.h"

#include <string.h>

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "conf") == 0) {
        ftc_settings_describe(stdout);
    } else if (argc == 2 && strcmp(argv[1], "man") == 0) {
        ftc_settings_roff(stdout);
    } else {
        fprintf(stderr, "usage: %s conf|man\n", argv[0]);
        return 2;
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
