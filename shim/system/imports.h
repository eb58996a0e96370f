/* imports: functions of libraries that the program itself calls. */
#ifndef FTC_SYSTEM_IMPORTS_H
#define FTC_SYSTEM_IMPORTS_H

#include <stdbool.h>
#include <stddef.h>

/* From now on the program's own calls of @name go to @to; those of libraries stay as they are.
 * False if the program does not import it, or its memory cannot be changed. To be called while
 * there is one thread. */
bool ftc_imports_redirect(const char *name, void *to);

/* Whether the constants of the program (its parts that are loaded, and not to be written) have the
 * text @text, with the zero byte behind it. */
bool ftc_imports_program_says(const char *text);

#endif
