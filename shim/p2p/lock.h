/* lock: the lock that guards the notes of requests and peers. Never held while functions of the
 * program run. */
#ifndef FTC_P2P_LOCK_H
#define FTC_P2P_LOCK_H

#include "library.h"

extern pthread_mutex_t ftc_p2p_mutex;

static inline void ftc_p2p_lock(void)
{
    if (ftc_library.threaded)
        pthread_mutex_lock(&ftc_p2p_mutex);
}

static inline void ftc_p2p_unlock(void)
{
    if (ftc_library.threaded)
        pthread_mutex_unlock(&ftc_p2p_mutex);
}

#endif
