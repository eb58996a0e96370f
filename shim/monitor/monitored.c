#include "monitored.h"

#include "system/quiet_thread.h"

bool ftc_monitored_start_thread(void *(*run)(void *), void *argument)
{
    pthread_t thread;

    return ftc_quiet_thread(&thread, run, argument) == 0 && pthread_detach(thread) == 0;
}
