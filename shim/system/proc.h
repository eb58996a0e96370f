/* proc: facts about processes from proc(5). All functions return false if the process has ended or
 * there is no /proc. */
#ifndef FTC_SYSTEM_PROC_H
#define FTC_SYSTEM_PROC_H

#include <stdbool.h>
#include <stddef.h>

/* Reads the beginning of a file as a string, at most @size - 1 bytes. Returns false if there are
 * none. */
bool ftc_proc_read(const char *path, char *text, size_t size);

/* Reads @count numeric fields of a stat file at one moment. The numbers of the fields count from 1
 * as in the manual and must be above 2. Reading the file costs the kernel tens of microseconds. */
bool ftc_proc_stat_fields(const char *path, const int *number, unsigned long *value, int count);

/* As above, for one field. */
bool ftc_proc_stat_field(const char *path, int number, unsigned long *value);

/* Reads the value in the line of a status file that begins with @key, which includes the colon.
 * @base is the base of the number. */
bool ftc_proc_status_value(const char *path, const char *key, int base, unsigned long *value);

#endif
