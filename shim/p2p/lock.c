#include "lock.h"

pthread_mutex_t ftc_p2p_mutex = PTHREAD_MUTEX_INITIALIZER;
