#include "scheduling.h"

#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SLICE_NS = 100000 };

/* First version of struct sched_attr of sched_setattr(2), whose own header conflicts with
 * <sched.h>. */
struct scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
};

void ftc_scheduling_ask_for_short_slice(void)
{
    struct scheduling s = {.size = sizeof s};

    if (syscall(SYS_sched_getattr, 0, &s, sizeof s, 0) != 0 || s.policy != SCHED_OTHER)
        return;
    s.runtime_ns = SLICE_NS;
    (void)syscall(SYS_sched_setattr, 0, &s, 0);
}
