#include "link_thread.h"

#include "library.h"
#include "system/quiet_thread.h"

static pthread_t thread;
static bool is_on, is_ending;

static void *run(void *unused)
{
    struct ftc_transport *t = &ftc_library.transport;

    (void)unused;
    ftc_library_lock();
    while (!is_ending) {
        bool soon = ftc_transport_look_at_links(t);

        ftc_library_unlock();
        ftc_transport_await_links(t, soon);
        ftc_library_lock();
    }
    ftc_library_unlock();
    return NULL;
}

int ftc_link_thread_open(void)
{
    int rv;

    if (!ftc_library.locked) /* no write if it is set: another thread may be reading it */
        ftc_library.locked = true;
    rv = ftc_quiet_thread(&thread, run, NULL);
    is_on = rv == 0;
    return -rv;
}

void ftc_link_thread_close(void)
{
    if (!is_on)
        return;
    ftc_library_lock();
    is_ending = true;
    ftc_transport_wake_links(&ftc_library.transport);
    ftc_library_unlock();
    pthread_join(thread, NULL);
    is_on = false;
}
