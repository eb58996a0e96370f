#include "shared_files.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns whether @path is a file of libfabric's provider shm, which names files by process, user
 * and endpoint: /dev/shm/4711:1000:0. */
static bool is_of_libfabric(const char *path)
{
    unsigned process, user, endpoint;
    int length = 0;

    return sscanf(path, "/dev/shm/%u:%u:%u%n", &process, &user, &endpoint, &length) == 3 &&
           path[length] == '\0' && user == getuid();
}

/* Removes the file that @line of proc_pid_maps(5) names, if it is UCX's or libfabric's. A file that
 * is already removed has " (deleted)" after its name, and is not found. */
static void remove_file_of(const char *line)
{
    const char *path = strchr(line, '/');

    if (path && (strstr(path, "/ucx_shm_posix_") || is_of_libfabric(path)))
        unlink(path);
}

void ftc_shared_files_remove(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[PATH_MAX + 128];

    while (maps && fgets(line, sizeof line, maps)) {
        line[strcspn(line, "\n")] = '\0';
        remove_file_of(line);
    }
    if (maps)
        fclose(maps);
}
