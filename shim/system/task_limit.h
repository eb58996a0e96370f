/* task_limit: limit of the number of processes and threads, set by a user or a batch system
 * (RLIMIT_NPROC; ulimit -u). */
#ifndef FTC_SYSTEM_TASK_LIMIT_H
#define FTC_SYSTEM_TASK_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Returns whether the descendants of @ancestor may be @count processes and threads in total while
 * all other ones of this user stay. The result does not depend on the present number of
 * descendants, so ranks of one launcher get the same. Returns true where the limit does not apply.
 * Without /proc, compares @count alone with the limit. */
bool ftc_task_limit_allows(pid_t ancestor, size_t count);

#endif
