#include "cores.h"

#include "hash.h"
#include "proc.h"

#include <sched.h>
#include <string.h>

/* Asks for more cores than the 1,024 of a cpu_set_t, because the kernel requires room for all cores
 * that the machine may have. */
bool ftc_cores_may_use(uint64_t set[FTC_CORES_WORDS])
{
    memset(set, 0, FTC_CORES_WORDS * sizeof *set);
    return sched_getaffinity(0, FTC_CORES_WORDS * sizeof *set, (cpu_set_t *)(void *)set) == 0;
}

static uint32_t count_of(const uint64_t set[FTC_CORES_WORDS])
{
    uint32_t count = 0;

    for (int i = 0; i < FTC_CORES_WORDS; i++)
        count += (uint32_t)__builtin_popcountll(set[i]);
    return count;
}

/* Identifies the machine by its boot, because a container has its own name, address and file
 * system. */
struct ftc_cores ftc_cores_own(void)
{
    uint64_t own[FTC_CORES_WORDS], machine;
    char boot[64];

    if (!ftc_proc_read("/proc/sys/kernel/random/boot_id", boot, sizeof boot) ||
        !ftc_cores_may_use(own))
        return (struct ftc_cores){0};
    machine = ftc_hash(FTC_HASH_START, boot, strlen(boot));
    return (struct ftc_cores){
        .machine = machine, .identity = ftc_hash(machine, own, sizeof own), .count = count_of(own)};
}
