/* cores: which cores of which machine a process may use. */
#ifndef FTC_SYSTEM_CORES_H
#define FTC_SYSTEM_CORES_H

#include <stdint.h>

struct ftc_cores {
    uint64_t identity; /* the same in processes that may use the same cores of the same running
                        * kernel, also in different containers, which are hosts of their own */
    uint32_t count;    /* 0: it cannot be told */
};

struct ftc_cores ftc_cores_own(void);

#endif
