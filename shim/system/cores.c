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
    uint64_t identity = FTC_HASH_START;

    CPU_ZERO(&own);
    if (!ftc_proc_read("/proc/sys/kernel/random/boot_id", boot, sizeof boot) ||
        sched_getaffinity(0, sizeof own, &own) != 0)
        return (struct ftc_cores){0};
    identity = ftc_hash(identity, boot, strlen(boot));
    identity = ftc_hash(identity, &own, sizeof own);
    return (struct ftc_cores){.identity = identity, .count = (uint32_t)CPU_COUNT(&own)};
}
