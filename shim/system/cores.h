/* cores: which cores of which machine a process may use. A container, which may count as a host,
 * has the cores of its machine. */
#ifndef FTC_SYSTEM_CORES_H
#define FTC_SYSTEM_CORES_H

#include <stdbool.h>
#include <stdint.h>

/* Largest number of cores for which Linux can be built. */
enum { FTC_CORES_MAX = 8192, FTC_CORES_WORDS = FTC_CORES_MAX / 64 };

/* Sets the bits of the cores that this process may use. Returns false if the kernel does not report
 * them. */
bool ftc_cores_may_use(uint64_t set[FTC_CORES_WORDS]);

struct ftc_cores {
    uint64_t machine;  /* equal in all processes of one running kernel */
    uint64_t identity; /* equal in those of these processes that may use the same cores */
    uint32_t count;    /* number of cores; 0: unknown */
};

/* Returns the cores of this process. */
struct ftc_cores ftc_cores_own(void);

#endif
