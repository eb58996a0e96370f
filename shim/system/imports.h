/* imports: functions that the program or another object imports from others. */
#ifndef FTC_SYSTEM_IMPORTS_H
#define FTC_SYSTEM_IMPORTS_H

#include "loaded.h"

/* Redirects the calls of @name in @object, or in the program if @object is NULL, to @to. Calls in
 * other objects are not affected. Returns false if the object does not import the function, or its
 * memory cannot be changed. No other thread of this process may redirect at the same time. */
bool ftc_imports_redirect(const struct ftc_loaded *object, const char *name, void *to);

/* Returns whether the constants of the program contain the string @text with its final zero byte.
 * These are its loaded parts that are not writable. */
bool ftc_imports_program_says(const char *text);

/* Returns whether @object imports a function whose name begins with @prefix, ignoring case. */
bool ftc_imports_any(const struct ftc_loaded *object, const char *prefix);

#endif
