/* proc: the few facts that proc(5) gives about processes. All fail quietly when the process is gone
 * or there is no /proc. */
#ifndef FTC_SYSTEM_PROC_H
#define FTC_SYSTEM_PROC_H

#include <stdbool.h>
#include <stddef.h>

/* Reads the beginning of a file as a string. */
bool ftc_proc_read(const char *path, char *text, size_t size);

/* Numeric fields of a stat file, counted from 1 as in the manual; above 2. Several of one moment,
 * or one: to read the file is tens of microseconds of work for the kernel. */
bool ftc_proc_stat_fields(const char *path, const int *number, unsigned long *value, int count);
bool ftc_proc_stat_field(const char *path, int number, unsigned long *value);

/* The value of a status file's line that begins with @key, colon included, in number base @base. */
bool ftc_proc_status_value(const char *path, const char *key, int base, unsigned long *value);

#endif
