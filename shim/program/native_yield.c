#include "native_yield.h"

#include "library.h"
#include "native_call.h"
#include "progress/wait.h"

#include <sched.h>

static bool is_on;
static bool (*follow)(void);
static _Thread_local bool is_due; /* a yield is due when MPICH's lock is released */

void ftc_native_yield_open(bool (*follow_locks)(void))
{
    follow = follow_locks;
    is_on = ftc_library.settings.yield == FTC_YIELD_ON ||
            (ftc_library.settings.yield == FTC_YIELD_AUTO && ftc_library.oversubscribed);
}

bool ftc_native_yield_is_on(void)
{
    return is_on;
}

void ftc_native_yield(void)
{
    if (!is_on || ftc_native_call_depth == 0 || ftc_wait_is_looking)
        return;
    if (!ftc_library.threaded) {
        sched_yield();
        return;
    }
    is_due = follow();
}

void ftc_native_yield_unlocked(void)
{
    if (is_due) {
        is_due = false;
        sched_yield();
    }
}
