/* describe: a program of the build that writes ftcoll.conf.example or SETTINGS of ftcoll.conf(5),
 * both from the table of options, or INSIDE of ftcoll.conf(5) from shim/mpi/inside.def. */
#include "settings.h"

#include <string.h>

enum { LINE_MAX_CHARACTERS = 60 };

/* Writes an item of INSIDE: the name of a part in bold, the versions of @product for which the part
 * is used, and the versions with which it was tested. */
static void write_item(const char *name, const char *product, unsigned first, unsigned last,
                       const char *tested, const char *device)
{
    printf(".TP\n\\fB%s\\fR, of %s %u.%u to %u.%u%s%s\nTested with %s.\n", name, product,
           first / 100, first % 100, last / 100, last % 100, device ? " with device " : "",
           device ? device : "", tested);
}

static void write_also(unsigned first, unsigned last, const char *tested, const char *device)
{
    printf("This part is also used with %u.%u", first / 100, first % 100);
    if (first != last)
        printf(" to %u.%u", last / 100, last % 100);
    printf(" and device %s, tested with %s.\n", device, tested);
}

static void write_word(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        fputs(word[i] == '-' ? "\\-" : word[i] == '^' ? "\\(ha" : (char[]){word[i], 0}, stdout);
}

/* Writes @before and @text as a sentence, in lines of about LINE_MAX_CHARACTERS. */
static void write_text(const char *before, const char *text)
{
    size_t column = strlen(before);

    fputs(before, stdout);
    while (*text) {
        size_t length = strcspn(text, " ");

        if (column + length > LINE_MAX_CHARACTERS) {
            putchar('\n');
            column = 0;
        }
        if (column > 0)
            putchar(' ');
        write_word(text, length);
        column += length + 1;
        text += length + strspn(text + length, " ");
    }
    puts(".");
}

static void describe_inside(void)
{
#define FTC_INSIDE(part, name, product, first, last, tested, device, where, relies, lost)          \
    write_item(name, #product, first, last, tested, device);                                       \
    write_text("Relies on this:", relies);                                                         \
    write_text("Without it", lost);
#define FTC_INSIDE_ALSO(part, first, last, tested, device) write_also(first, last, tested, device);
#include "shim/mpi/inside.def"
#undef FTC_INSIDE
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "conf") == 0) {
        ftc_settings_describe(stdout);
    } else if (argc == 2 && strcmp(argv[1], "man") == 0) {
        ftc_settings_roff(stdout);
    } else if (argc == 2 && strcmp(argv[1], "inside") == 0) {
        describe_inside();
    } else {
        fprintf(stderr, "usage: %s conf|man|inside\n", argv[0]);
        return 2;
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
