/* report_file: where a report goes: to a file that was not there before, or to standard error. */
#ifndef FTC_REPORTING_REPORT_FILE_H
#define FTC_REPORTING_REPORT_FILE_H

#include <stdbool.h>
#include <stdio.h>

enum { FTC_REPORT_PATH_MAX = 1024 }; /* as for setting report_file */

/* Writes @name, which the program's directory counts for, to the @size bytes at @path, as a path
 * that holds wherever the program goes later. It stays as it is if the whole path is too long; ""
 * stays "". */
void ftc_report_file_make_absolute(const char *name, char *path, size_t size);

/* Whether a file could be made there, without leaving anything: 0 or a negative errno. */
int ftc_report_file_try(const char *path);

/* Returns whether @path is there and is neither a file nor a directory, such as a device. */
bool ftc_report_file_is_special(const char *path);

/* What @write writes to @f, if it is anything, goes to the file PATH, PATH.1, PATH.2 ..., the first
 * that there is not; to standard error if @path is "", or, with a line that says why, if the file
 * cannot be made. True if it is in a file. */
bool ftc_report_file_write(const char *path, void (*write)(FILE *f, const void *context),
                           const void *context);

#endif
