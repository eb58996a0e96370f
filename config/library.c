/* The library that goes with the command, and LD_PRELOAD. */
#include "command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char separators[] = " :"; /* of LD_PRELOAD, as ld.so(8) has it */

/* ---- where it lies ---- */

static bool find_own_directory(char path[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);

    if (length <= 0)
        return false;
    path[length] = '\0';
    *strrchr(path, '/') = '\0';
    return true;
}

/* @name in @directory, which is counted from @base if it is relative. */
static bool is_there(const char *base, const char *directory, const char *name, char path[PATH_MAX])
{
    char joined[2 * PATH_MAX], real[PATH_MAX];
    int length;

    if (directory[0] == '/')
        base = "";
    snprintf(joined, sizeof joined, "%s%s%s", base, *base ? "/" : "", directory);
    length = snprintf(path, PATH_MAX, "%s/%s", realpath(joined, real) ? real : joined, name);
    return length < PATH_MAX && access(path, R_OK) == 0;
}

/* FTC_LIBDIR is where the library is installed, as seen from the command, and FTC_SONAME what it is
 * called there (Makefile). */
bool ftc_command_library(char path[PATH_MAX])
{
    char base[PATH_MAX];

    return find_own_directory(base) && (is_there(base, ".", "libftcoll.so", path) ||
                                        is_there(base, FTC_LIBDIR, FTC_SONAME, path));
}

/* ---- how it is preloaded ---- */

static bool is_another_of_its_kind(const char *element, size_t length)
{
    static const char name[] = "libftcoll.so";
    const char *slash = memrchr(element, '/', length);
    size_t skipped = slash ? (size_t)(slash + 1 - element) : 0;

    return length - skipped >= sizeof name - 1 &&
           memcmp(element + skipped, name, sizeof name - 1) == 0;
}

/* Behind all others, as tools are that want to be the first, such as sanitizers; and in the place
 * of another copy, because two would stand in each other's way. */
static void append_to_preload(const char *element)
{
    const char *before = getenv("LD_PRELOAD"), *at = before ? before : "";
    char *list = malloc(strlen(at) + strlen(element) + 2), *end = list;
    size_t length;

    if (!list)
        abort();
    for (; *at; at += length) {
        at += strspn(at, separators);
        length = strcspn(at, separators);
        if (length > 0 && !is_another_of_its_kind(at, length)) {
            end = mempcpy(end, at, length);
            *end++ = ':';
        }
    }
    memcpy(end, element, strlen(element) + 1);
    setenv("LD_PRELOAD", list, 1);
    free(list);
}

/* Where the list of files splits at blanks, that of directories does not. */
static void prepend_to_library_path(const char *directory)
{
    const char *before = getenv("LD_LIBRARY_PATH");
    char *list = NULL;

    if (asprintf(&list, "%s%s%s", directory, before ? ":" : "", before ? before : "") < 0)
        abort();
    setenv("LD_LIBRARY_PATH", list, 1);
    free(list);
}

int ftc_command_preload(void)
{
    char path[PATH_MAX];

    if (!ftc_command_library(path)) {
        ftc_command_say("the library is missing: there is no %s, and none beside this command; "
                        "install both again",
                        path);
        return FTC_COMMAND_MISUSE;
    }
    if (strpbrk(path, ":;")) {
        ftc_command_say("no job can load %s, because LD_PRELOAD splits at colons; put it elsewhere",
                        path);
        return FTC_COMMAND_MISUSE;
    }
    if (strpbrk(path, " \t\n")) {
        char *slash = strrchr(path, '/');

        append_to_preload(slash + 1);
        *slash = '\0';
        prepend_to_library_path(path);
    } else {
        append_to_preload(path);
    }
    return FTC_COMMAND_GOOD;
}
