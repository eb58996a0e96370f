#include "leavable.h"

#include "aside.h"
#include "detour.h"
#include "library.h"
#include "mpi/inside.h"
#include "stack.h"
#include "system/clock.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

enum {
    HOPELESS_NS = 100000000,
    DYING_NS = 1000000000,
    BESIDE_BYTES = 1 << 20, /* at most so deep do we go there */
};

/* The one call that is under way. */
static struct {
    ucontext_t caller, callee;
    void (*function)(void *);
    void *argument;
    bool (*is_hopeless)(void *);
    void *context;
    uint64_t hopeless_since_ns;
    const char *stack;
    bool is_running, is_over;
} call;

void (*ftc_leavable_beside)(void);

static _Atomic bool is_polled;
static uintptr_t beside; /* the frame from which that is called; an error handler may leave it */

bool ftc_leavable_is_possible(void)
{
    return !ftc_library.threaded && ftc_inside_has(FTC_INSIDE_LEAVE);
}

/* False also once what the call has called back (an error handler or another function of the
 * program's) has left it by a jump or an exception: then nothing of it is there any more. */
static bool is_in_call(void)
{
    call.is_running = call.is_running && ftc_stack_is_on(call.stack);
    return call.is_running;
}

static void begin(void)
{
    call.function(call.argument);
    call.is_over = true;
}

bool ftc_leavable_run(void (*function)(void *argument), void *argument,
                      bool (*is_hopeless)(void *context), void *context)
{
    void *own = ftc_leavable_is_possible() && !is_in_call() ? ftc_stack_take() : NULL;

    if (!own) {
        function(argument);
        return true;
    }
    call.function = function;
    call.argument = argument;
    call.is_hopeless = is_hopeless;
    call.context = context;
    call.hopeless_since_ns = 0;
    call.is_over = false;
    call.stack = own;
    ftc_stack_prepare(own, &call.callee, &call.caller, begin);
    call.is_running = true;
    swapcontext(&call.caller, &call.callee);
    call.is_running = false;
    if (call.is_over)
        ftc_stack_give_back(own);
    return call.is_over;
}

bool ftc_leavable_is_polled(void)
{
    return atomic_load(&is_polled);
}

bool ftc_leavable_has_had_time(uint64_t *since_ns)
{
    uint64_t now = ftc_clock_ns();

    if (*since_ns == 0)
        *since_ns = now;
    return now - *since_ns > HOPELESS_NS;
}

static void leave_if_hopeless(void)
{
    if (call.is_running && is_in_call() && call.is_hopeless(call.context) &&
        ftc_leavable_has_had_time(&call.hopeless_since_ns))
        setcontext(&call.caller);
}

/* Within what is done beside, MPICH polls as well: nothing is left from there. */
static bool is_beside(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    return beside != 0 && here < beside && beside - here < BESIDE_BYTES;
}

void ftc_leavable_poll(void)
{
    atomic_store_explicit(&is_polled, true, memory_order_relaxed);
    if (ftc_detour_pause() || is_beside())
        return;
    leave_if_hopeless();
    if (ftc_aside_is_any_left)
        ftc_aside_poll();
    if (!ftc_leavable_beside)
        return;
    beside = (uintptr_t)__builtin_frame_address(0);
    ftc_leavable_beside();
    beside = 0;
}

/* On a detour the time goes by beside the program. */
void ftc_leavable_cannot_send(void)
{
    uint64_t until_ns = ftc_clock_ns() + DYING_NS;

    if (ftc_detour_pause()) {
        while (ftc_clock_ns() < until_ns)
            ftc_detour_pause();
        return;
    }
    while (!is_beside() && is_in_call() &&
           (call.is_hopeless(call.context) || ftc_clock_ns() < until_ns)) {
        leave_if_hopeless();
        sched_yield();
    }
}
