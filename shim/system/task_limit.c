#include "task_limit.h"

#include "proc.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PARENT = 4, THREADS = 20 /* fields of a stat file */ };

/* Returns the number of threads of process @id; 0 if it is a descendant of @ancestor, or has
 * ended. */
static size_t threads_beside(unsigned long id, pid_t ancestor)
{
    static const int fields[] = {PARENT, THREADS};
    unsigned long value[2], threads = 0;
    char path[64];

    do {
        snprintf(path, sizeof path, "/proc/%lu/stat", id);
        if (!ftc_proc_stat_fields(path, fields, value, 2))
            break;
        threads = threads ? threads : value[1];
        id = value[0];
        if (id == (unsigned long)ancestor)
            return 0;
    } while (id > 1);
    return threads;
}

static bool is_own(int folder, const char *name)
{
    struct stat st;

    return fstatat(folder, name, &st, 0) == 0 && st.st_uid == getuid();
}

/* Returns the number of this user's threads outside of the descendants of @ancestor. */
static size_t tasks_beside(pid_t ancestor)
{
    DIR *folder = opendir("/proc");
    size_t count = 0;

    if (!folder)
        return 0;
    for (const struct dirent *e = readdir(folder); e; e = readdir(folder)) {
        unsigned long id = strtoul(e->d_name, NULL, 10);

        if (id != 0 && is_own(dirfd(folder), e->d_name))
            count += threads_beside(id, ancestor);
    }
    closedir(folder);
    return count;
}

/* Returns the number of threads of all users, which costs less than reading each process. */
static size_t tasks_of_all(void)
{
    char text[128];
    const char *slash;

    if (!ftc_proc_read("/proc/loadavg", text, sizeof text) || !(slash = strchr(text, '/')))
        return SIZE_MAX / 2;
    return strtoul(slash + 1, NULL, 10);
}

bool ftc_task_limit_allows(pid_t ancestor, size_t count)
{
    struct rlimit limit;

    if (getuid() == 0 || getrlimit(RLIMIT_NPROC, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return true;
    return limit.rlim_cur >= tasks_of_all() + count ||
           limit.rlim_cur >= tasks_beside(ancestor) + count;
}
