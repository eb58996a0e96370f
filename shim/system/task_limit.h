/* task_limit: the limit of processes and threads that a user or a batch system sets, RLIMIT_NPROC
 * (ulimit -u). */
#ifndef FTC_SYSTEM_TASK_LIMIT_H
#define FTC_SYSTEM_TASK_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Returns whether the descendants of @ancestor may be @count processes and threads in total while
 * all other ones of this user stay. The result does not depend on how many descendants there are
 * now, so ranks of one launcher get the same. True where the limit does not apply, or /proc is
 * missing. */
bool ftc_task_limit_allows(pid_t ancestor, size_t count);

#endif
