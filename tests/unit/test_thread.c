/* The thread that goes on with nonblocking operations: until there is one it sleeps, and calls take
 * no lock; from then on whoever has the library has its lock. */
#include "library.h"
#include "progress/queue.h"
#include "progress/thread.h"
#include "unit.h"

#include <sched.h>
#include <string.h>

struct ftc_library ftc_library = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Atomic int rounds, turns; /* of the thread; a round begins with ftc_queue_is_used() */

bool ftc_queue_turn(void)
{
    turns++;
    return false;
}

bool ftc_queue_is_used(void)
{
    rounds++;
    return true;
}

static bool is_taken(void)
{
    if (pthread_mutex_trylock(&ftc_library.lock) != 0)
        return true;
    pthread_mutex_unlock(&ftc_library.lock);
    return false;
}

static void wake(void)
{
    ftc_library_lock();
    ftc_thread_wake();
    ck_assert(is_taken());
    ftc_library_unlock();
}

START_TEST(calls_take_no_lock_until_there_is_an_operation)
{
    ck_assert_int_eq(ftc_thread_open(), 0);
    ck_assert(!ftc_library.locked);
    wake();
    ck_assert(ftc_library.locked);
    while (turns == 0)
        sched_yield();
    ftc_thread_close();
    ck_assert(!is_taken());
}
END_TEST

/* What MPI calls back while this rank has called it with the library in hand finds it taken,
 * whether there is a lock or not. */
START_TEST(who_comes_in_from_a_poll_finds_it_taken)
{
    ck_assert_int_eq(ftc_thread_open(), 0);
    ftc_library_lock();
    ck_assert(!ftc_library_trylock());
    ftc_library_unlock();
    ck_assert(ftc_library_trylock());
    ck_assert(!ftc_library_trylock());
    ftc_thread_wake();
    ck_assert(!ftc_library_trylock());
    ftc_library_unlock();
    while (!ftc_library_trylock())
        sched_yield();
    ftc_library_unlock();
    ftc_thread_close();
}
END_TEST

/* Whatever is done with the library in between is not seen half done. */
START_TEST(it_does_not_begin_before_the_call_that_wakes_it_gives_the_lock_up)
{
    ck_assert_int_eq(ftc_thread_open(), 0);
    ftc_library_lock();
    ftc_thread_wake();
    for (int i = 0; i < 1000; i++)
        sched_yield();
    ck_assert_int_eq(turns, 0);
    ftc_library_unlock();
    while (turns == 0)
        sched_yield();
    ftc_thread_close();
}
END_TEST

/* The thread leaves out one round, and no more, each time that the program has looked. */
START_TEST(it_goes_on_when_the_program_looks_no_more)
{
    ck_assert_int_eq(ftc_thread_open(), 0);
    ftc_library_lock();
    ftc_thread_see_program();
    ftc_thread_wake();
    ftc_library_unlock();
    while (rounds < 3)
        sched_yield();
    ftc_thread_close();
    ck_assert_int_eq(turns, rounds - 1);
}
END_TEST

START_TEST(it_ends_in_its_first_sleep)
{
    ck_assert_int_eq(ftc_thread_open(), 0);
    ftc_thread_close();
    ck_assert_int_eq(turns, 0);
    ck_assert(!is_taken());
}
END_TEST

START_TEST(threads_of_the_program_have_the_lock_from_the_start)
{
    ftc_library.threaded = ftc_library.locked = true;
    ck_assert_int_eq(ftc_thread_open(), 0);
    wake();
    wake();
    while (turns == 0)
        sched_yield();
    ftc_thread_close();
    ck_assert(!is_taken());
}
END_TEST

int main(void)
{
    UNIT_BEGIN("thread");
    UNIT_TEST(calls_take_no_lock_until_there_is_an_operation);
    UNIT_TEST(who_comes_in_from_a_poll_finds_it_taken);
    UNIT_TEST(it_does_not_begin_before_the_call_that_wakes_it_gives_the_lock_up);
    UNIT_TEST(it_goes_on_when_the_program_looks_no_more);
    UNIT_TEST(it_ends_in_its_first_sleep);
    UNIT_TEST(threads_of_the_program_have_the_lock_from_the_start);
    UNIT_END();
}
