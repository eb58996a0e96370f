/* cores: which cores of which machine a process may use. A container, which may be a host of its
 * own, has those of its machine. */
#ifndef FTC_SYSTEM_CORES_H
#define FTC_SYSTEM_CORES_H

#include <stdint.h>

struct ftc_cores {
    uint64_t machine;  /* the same in processes of the same running kernel */
    uint64_t identity; /* the same in those of them that may use the same cores */
    uint32_t count;    /* 0: it cannot be told */
};

struct ftc_cores ftc_cores_own(void);

#endif
