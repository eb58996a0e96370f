/* environment: numbers in environment variables that a launcher sets. */
#ifndef FTC_SYSTEM_ENVIRONMENT_H
#define FTC_SYSTEM_ENVIRONMENT_H

/* Returns the number in variable @name. Returns @otherwise if the variable is not set or is not a
 * number from 0 to 2^30. */
long ftc_environment_number(const char *name, long otherwise);

#endif
