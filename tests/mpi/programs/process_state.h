/* The state of a process, as proc_pid_stat(5) has it: 'T' is stopped, 'Z' dead and not yet waited
 * for; @gone if there is none. */
#ifndef PROCESS_STATE_H
#define PROCESS_STATE_H

#include <stdio.h>

static inline char process_state(int pid, char gone)
{
    char path[32], state = gone;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    file = fopen(path, "r");
    if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = gone;
    if (file)
        fclose(file);
    return state;
}

#endif
