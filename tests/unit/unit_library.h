/* unit_library: the libraries that are built for tests (loaded_library.c). */
#ifndef FTC_TESTS_UNIT_LIBRARY_H
#define FTC_TESTS_UNIT_LIBRARY_H

#include <check.h>
#include <dlfcn.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* @file beside this program, loaded. */
static inline void *unit_open_library(const char *file)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - NAME_MAX);
    void *library;

    ck_assert_int_gt(length, 0);
    path[length] = '\0';
    strcpy(strrchr(path, '/') + 1, file);
    library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    ck_assert_msg(library != NULL, "%s", dlerror());
    return library;
}

#endif
