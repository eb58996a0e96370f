#include "address_space.h"

#include "proc.h"

#include <stdint.h>
#include <sys/resource.h>

size_t ftc_address_space_left(void)
{
    struct rlimit limit;
    unsigned long used_kib;

    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        !ftc_proc_status_value("/proc/self/status", "VmSize:", 10, &used_kib))
        return SIZE_MAX;
    return limit.rlim_cur > used_kib * 1024 ? limit.rlim_cur - used_kib * 1024 : 0;
}
