/* How a rank makes sure that the test has read what it says before it ends the job. */
#ifndef HEARD_H
#define HEARD_H

#include <unistd.h>

/* Waits for a file "heard", which the test makes when it has read all that it waits for: when a
 * rank ends the job, the launcher drops what it has not passed on. */
static inline void await_heard(void)
{
    while (access("heard", F_OK) != 0)
        usleep(1000);
}

#endif
