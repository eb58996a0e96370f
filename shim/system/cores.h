/* cores: which cores of which machine a process may use. A container, which may be a host of its
 * own, has those of its machine. */
#ifndef FTC_SYSTEM_CORES_H
#define FTC_SYSTEM_CORES_H

#include <stdbool.h>
#include <stdint.h>

/* As many as Linux can be built for. */
enum { FTC_CORES_MAX = 8192, FTC_CORES_WORDS = FTC_CORES_MAX / 64 };

/* Sets the bits of the cores that this process may use. False if the kernel does not tell. */
bool ftc_cores_may_use(uint64_t set[FTC_CORES_WORDS]);

struct ftc_cores {
    uint64_t machine;  /* the same in processes of the same running kernel */
    uint64_t identity; /* the same in those of them that may use the same cores */
    uint32_t count;    /* 0: it cannot be told */
};

struct ftc_cores ftc_cores_own(void);

#endif
