#include "leavable.h"

#include "aside.h"
#include "detour.h"
#include "gap.h"
#include "library.h"
#include "mpi/inside.h"
#include "progress/wait.h"
#include "stack.h"
#include "system/clock.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

enum {
    HOPELESS_NS = 100000000,
    DYING_NS = 1000000000,
    BESIDE_BYTES = 1 << 20, /* at most so deep do we go there */
    PROBES = 100,           /* one will do for the devices that are known */
};

struct call {
    ucontext_t caller, callee;
    void (*function)(void *);
    void *argument;
    bool (*is_hopeless)(void *);
    void *context;
    uint64_t hopeless_since_ns;
    bool is_over;
};

/* The one call of this thread that is under way, which is kept by who has begun it; and its stack.
 */
static _Thread_local struct call *current;
static _Thread_local const char *stack;

static _Atomic bool is_polled;
static void (*go_on_beside)(void); /* what else is to be done; NULL: nothing */
static uintptr_t beside; /* the frame from which that is called; an error handler may leave it */

/* False also once what the call has called back (an error handler or another function of the
 * program's) has left it by a jump or an exception: then nothing of it is there any more. */
static bool is_in_call(void)
{
    if (current && !ftc_stack_is_on(stack))
        current = NULL;
    return current;
}

static void begin(void)
{
    struct call *call = current;

    call->function(call->argument);
    call->is_over = true;
}

bool ftc_leavable_run(void (*function)(void *argument), void *argument,
                      bool (*is_hopeless)(void *context), void *context)
{
    struct call call = {
        .function = function, .argument = argument, .is_hopeless = is_hopeless, .context = context};
    void *own = ftc_inside_has(FTC_INSIDE_LEAVE) && !is_in_call() ? ftc_stack_take() : NULL;

    if (!own) {
        function(argument);
        return true;
    }
    stack = own;
    ftc_gap_forget(); /* of one that was left by a jump */
    ftc_stack_prepare(own, &call.callee, &call.caller, begin);
    current = &call;
    swapcontext(&call.caller, &call.callee);
    current = NULL;
    ftc_gap_forget();
    if (call.is_over)
        ftc_stack_give_back(own);
    return call.is_over;
}

bool ftc_leavable_run_on_file(void (*function)(void *argument), void *argument,
                              bool (*is_hopeless)(void *context), void *context)
{
    if (!ftc_library.threaded)
        return ftc_leavable_run(function, argument, is_hopeless, context);
    function(argument);
    return true;
}

/* MPI_Init has waited, but with device ch3 a wait looks at the sockets once in 512 turns: a rank
 * that came through in fewer would have no part of what the others do. What looks without
 * waiting does it each time. */
bool ftc_leavable_is_polled(void)
{
    int flag;

    for (int i = 0; i < PROBES && !atomic_load(&is_polled); i++)
        PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    return atomic_load(&is_polled);
}

bool ftc_leavable_has_had_time(uint64_t *since_ns)
{
    uint64_t now = ftc_clock_ns();

    if (*since_ns == 0)
        *since_ns = now;
    return now - *since_ns > HOPELESS_NS;
}

static bool is_hopeless(void)
{
    return is_in_call() && current->is_hopeless(current->context);
}

static void leave(void)
{
    ftc_gap_forget();
    if (is_in_call())
        setcontext(&current->caller);
}

static void leave_if_hopeless(void)
{
    if (!is_hopeless() || !ftc_leavable_has_had_time(&current->hopeless_since_ns))
        return;
    if (!ftc_library.threaded)
        leave();
    else if (!ftc_wait_is_looking) /* for a call of the library's within this one */
        ftc_gap_await(leave);
}

/* Within what is done beside, MPICH polls as well: nothing is left from there. */
static bool is_beside(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    return beside != 0 && here < beside && beside - here < BESIDE_BYTES;
}

void ftc_leavable_set_beside(void (*function)(void))
{
    go_on_beside = function;
}

void ftc_leavable_poll(void)
{
    atomic_store_explicit(&is_polled, true, memory_order_relaxed);
    if (ftc_detour_pause() || is_beside())
        return;
    leave_if_hopeless();
    if (ftc_aside_is_any_left)
        ftc_aside_poll();
    if (!go_on_beside)
        return;
    beside = (uintptr_t)__builtin_frame_address(0);
    go_on_beside();
    beside = 0;
}

/* MPICH has its lock, so this cannot be left here. */
static bool cannot_send_with_threads(uint64_t until_ns)
{
    bool may_be = is_in_call() || ftc_aside_is_here(), is = false;

    while (may_be && !is && ftc_clock_ns() < until_ns) {
        sched_yield();
        is = is_hopeless() || ftc_aside_has_seen_death();
    }
    return is;
}

/* On a detour the time goes by beside the program. */
bool ftc_leavable_cannot_send(void)
{
    uint64_t until_ns = ftc_clock_ns() + DYING_NS;

    if (ftc_library.threaded)
        return cannot_send_with_threads(until_ns);
    if (ftc_detour_pause()) {
        while (ftc_clock_ns() < until_ns)
            ftc_detour_pause();
        return false;
    }
    while (!is_beside() && (is_hopeless() || (is_in_call() && ftc_clock_ns() < until_ns))) {
        leave_if_hopeless();
        sched_yield();
    }
    return false;
}
