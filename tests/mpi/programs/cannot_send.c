/* cannot_send: a library that stands between the one under test and UCX. Rank R cannot send its
 * message number K, counted since the program has named a victim (CANNOT_SEND=R:K): it is for the
 * victim, which is dead, and UCX does not reach its memory. With CANNOT_ARRIVE=1 no message arrives
 * that is sent after the victim's death, as where it was about to send one itself. */
#include "process_state.h"

#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { UCS_ERR_SHMEM_SEGMENT = -18 };

void *ucp_tag_send_nbx(void *ep, const void *buffer, size_t count, uint64_t tag, const void *param);

extern int victim __attribute__((weak));

/* Which of the messages of this rank cannot be sent. */
static bool is_one(void)
{
    static int sends;
    const char *rank = getenv("PMI_RANK"), *sender = getenv("CANNOT_SEND");
    int from = -1, number = 0;

    return &victim && victim != 0 && rank && sender &&
           sscanf(sender, "%d:%d", &from, &number) == 2 && atoi(rank) == from && ++sends == number;
}

static bool is_lost(void)
{
    return &victim && victim != 0 && getenv("CANNOT_ARRIVE") && process_state(victim, 'Z') == 'Z';
}

void *ucp_tag_send_nbx(void *ep, const void *buffer, size_t count, uint64_t tag, const void *param)
{
    union {
        void *address;
        void *(*call)(void *, const void *, size_t, uint64_t, const void *);
    } next = {dlsym(RTLD_NEXT, "ucp_tag_send_nbx")};

    if (is_lost())
        return NULL; /* it is done */
    if (!is_one())
        return next.call(ep, buffer, count, tag, param);
    kill(victim, SIGKILL);
    while (process_state(victim, 'Z') != 'Z')
        sched_yield();
    return (void *)(intptr_t)UCS_ERR_SHMEM_SEGMENT;
}
