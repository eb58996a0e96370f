#include "cores.h"

#include "hash.h"
#include "proc.h"

#include <sched.h>
#include <string.h>

/* A container has a name, an address and a file system of its own, but the boot is its machine's.
 */
struct ftc_cores ftc_cores_own(void)
{
    char boot[64];
    cpu_set_t own;
    uint64_t machine;

    CPU_ZERO(&own);
    if (!ftc_proc_read("/proc/sys/kernel/random/boot_id", boot, sizeof boot) ||
        sched_getaffinity(0, sizeof own, &own) != 0)
        return (struct ftc_cores){0};
    machine = ftc_hash(FTC_HASH_START, boot, strlen(boot));
    return (struct ftc_cores){.machine = machine,
                              .identity = ftc_hash(machine, &own, sizeof own),
                              .count = (uint32_t)CPU_COUNT(&own)};
}
