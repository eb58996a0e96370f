/* Path of the library that belongs to the command, and the preloading of the library. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char separators[] = " :"; /* separators in LD_PRELOAD, see ld.so(8) */

/* ---- the path ---- */

static bool find_own_directory(char path[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);

    if (length <= 0)
        return false;
    path[length] = '\0';
    *strrchr(path, '/') = '\0';
    return true;
}

/* Writes the path of file @name in @directory to @path. A relative @directory begins at @base.
 * Returns whether the file can be read. */
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

/* Uses two macros of the Makefile: FTC_LIBDIR is the directory in which the library is installed,
 * as seen from that of the command, and FTC_SONAME is the name of the library there. */
bool ftc_command_library(char path[PATH_MAX])
{
    char base[PATH_MAX];

    snprintf(path, PATH_MAX, "libftcoll.so"); /* to be named if the directory is not known */
    return find_own_directory(base) && (is_there(base, ".", "libftcoll.so", path) ||
                                        is_there(base, FTC_LIBDIR, FTC_SONAME, path));
}

/* ---- preloading ---- */

static bool is_another_of_its_kind(const char *element, size_t length)
{
    static const char name[] = "libftcoll.so";
    const char *slash = memrchr(element, '/', length);
    size_t skipped = slash ? (size_t)(slash + 1 - element) : 0;

    return length - skipped >= sizeof name - 1 &&
           memcmp(element + skipped, name, sizeof name - 1) == 0;
}

/* Appends @element to LD_PRELOAD, after all other libraries, because some tools, such as
 * sanitizers, must be the first. Removes other copies of the library, because two copies would
 * disturb each other. */
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

/* Adds @directory to LD_LIBRARY_PATH. Is called for a library whose path has blanks, because
 * LD_PRELOAD is split at blanks and LD_LIBRARY_PATH is not. */
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
