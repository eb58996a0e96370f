/* imports: functions of others that the program, or another object, calls. */
#ifndef FTC_SYSTEM_IMPORTS_H
#define FTC_SYSTEM_IMPORTS_H

#include "loaded.h"

/* From now on @object's own calls of @name go to @to; those of others stay as they are. Without
 * @object it is the program. False if it does not import the function, or its memory cannot be
 * changed. To be called while no other thread of this process does that. */
bool ftc_imports_redirect(const struct ftc_loaded *object, const char *name, void *to);

/* Whether the constants of the program (its parts that are loaded, and not to be written) have the
 * text @text, with the zero byte behind it. */
bool ftc_imports_program_says(const char *text);

/* Whether @object imports a function whose name begins with @prefix, in letters of either case. */
bool ftc_imports_any(const struct ftc_loaded *object, const char *prefix);

#endif
