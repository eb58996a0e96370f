/* When a rank that waits in native MPI gives its core away. */
#include "library.h"
#include "program/native_call.h"
#include "program/native_yield.h"
#include "progress/wait.h"
#include "unit.h"

#include <sched.h>

struct ftc_library ftc_library;
_Thread_local int ftc_native_call_depth;
_Thread_local bool ftc_wait_is_looking;

static int yields, asked;

int sched_yield(void)
{
    yields++;
    return 0;
}

static bool locks_are_followed(void)
{
    asked++;
    return true;
}

static bool locks_are_not_followed(void)
{
    asked++;
    return false;
}

static void open_in_call(bool threaded, bool (*follow_locks)(void))
{
    ftc_library.settings.yield = FTC_YIELD_ON;
    ftc_library.threaded = threaded;
    ftc_native_yield_open(follow_locks);
    ftc_native_call_depth = 1;
}

START_TEST(one_thread_yields_when_it_has_polled)
{
    open_in_call(false, locks_are_followed);
    ftc_native_yield();
    ck_assert_int_eq(yields, 1);
    ck_assert_int_eq(asked, 0);
    ftc_native_call_depth = 0;
    ftc_native_yield();
    ftc_native_call_depth = 1;
    ftc_wait_is_looking = true;
    ftc_native_yield();
    ck_assert_int_eq(yields, 1);
}
END_TEST

/* Else the other threads would never find MPICH's lock free. */
START_TEST(with_threads_the_rank_yields_once_the_lock_is_released)
{
    open_in_call(true, locks_are_followed);
    ftc_native_yield_unlocked();
    ck_assert_int_eq(yields, 0); /* it has not polled */
    ftc_native_yield();
    ftc_native_yield();
    ck_assert_int_eq(yields, 0);
    ftc_native_yield_unlocked();
    ftc_native_yield_unlocked();
    ck_assert_int_eq(yields, 1);
    ck_assert_int_gt(asked, 0);
}
END_TEST

START_TEST(with_threads_whose_locks_are_not_known_no_rank_yields)
{
    open_in_call(true, locks_are_not_followed);
    ftc_native_yield();
    ftc_native_yield_unlocked();
    ck_assert_int_eq(yields, 0);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("native_yield");
    UNIT_TEST(one_thread_yields_when_it_has_polled);
    UNIT_TEST(with_threads_the_rank_yields_once_the_lock_is_released);
    UNIT_TEST(with_threads_whose_locks_are_not_known_no_rank_yields);
    UNIT_END();
}
