/* report_file: the new file that a report is written to, or standard error. */
#ifndef FTC_REPORTING_REPORT_FILE_H
#define FTC_REPORTING_REPORT_FILE_H

#include <stdbool.h>
#include <stdio.h>

enum { FTC_REPORT_PATH_MAX = 1024 }; /* limit of setting report_file */

/* Writes file name @name, which may be relative to the current directory, to the @size bytes at
 * @path as an absolute path, so that it stays valid when the program changes its directory. Copies
 * @name unchanged if it is "", or if the absolute path is too long. */
void ftc_report_file_make_absolute(const char *name, char *path, size_t size);

/* Checks whether a file can be created in the directory of @path, and leaves nothing there. Returns
 * 0 or a negative errno. */
int ftc_report_file_try(const char *path);

/* Returns whether @path exists and is neither a file nor a directory, such as a device. */
bool ftc_report_file_is_special(const char *path);

/* Writes the output of @write, which gets @context, to a new file: the first of PATH, PATH.1,
 * PATH.2 ... that does not exist. Writes it to standard error if @path is "", or, after a line with
 * the reason, if the file cannot be created. Creates no file if there is no output. Prints a line
 * if memory is short and the output is missing or ends early. Returns whether the output is in a
 * file. */
bool ftc_report_file_write(const char *path, void (*write)(FILE *f, const void *context),
                           const void *context);

#endif
