/* resident: how much memory this process uses, by the names of /proc/self/status: VmRSS, or RssAnon
 * without shared memory. */
#ifndef RESIDENT_H
#define RESIDENT_H

#include <mpi.h>
#include <stdio.h>
#include <string.h>

/* In kB. */
static inline long resident_kb(const char *name)
{
    FILE *f = fopen("/proc/self/status", "r");
    size_t length = strlen(name);
    char line[256];
    long kb = -1;

    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, name, length) == 0 && sscanf(line + length, ": %ld", &kb) == 1)
            break;
    if (!f || kb < 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    fclose(f);
    return kb;
}

#endif
