#include "leavable.h"

#include "library.h"
#include "mpi/inside.h"
#include "system/clock.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>

enum {
    STACK_BYTES = 8 << 20, /* the program's own functions run on it too: they copy attributes */
    HOPELESS_NS = 100000000,
    DYING_NS = 1000000000,
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

static void *stack; /* that no call is on */
static _Atomic bool is_polled;

static void *take_stack(void)
{
    void *taken = stack;

    stack = NULL;
    if (taken)
        return taken;
    taken = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    return taken == MAP_FAILED ? NULL : taken;
}

static bool may_leave(void)
{
    return !ftc_library.threaded && ftc_inside_has(FTC_INSIDE_LEAVE);
}

/* False also once what the call has called back (an error handler or another function of the
 * program's) has left it by a jump or an exception: then nothing of it is there any more. */
static bool is_in_call(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    call.is_running = call.is_running && here - (uintptr_t)call.stack < STACK_BYTES;
    return call.is_running;
}

static void begin(void)
{
    call.function(call.argument);
    call.is_over = true;
}

static void prepare(void *on)
{
    getcontext(&call.callee);
    call.callee.uc_stack.ss_sp = on;
    call.callee.uc_stack.ss_size = STACK_BYTES;
    call.callee.uc_link = &call.caller;
    makecontext(&call.callee, begin, 0);
}

bool ftc_leavable_run(void (*function)(void *argument), void *argument,
                      bool (*is_hopeless)(void *context), void *context)
{
    void *own = may_leave() && !is_in_call() ? take_stack() : NULL;

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
    prepare(own);
    call.is_running = true;
    swapcontext(&call.caller, &call.callee);
    call.is_running = false;
    if (call.is_over)
        stack = own;
    return call.is_over;
}

bool ftc_leavable_is_polled(void)
{
    return atomic_load(&is_polled);
}

/* What the others have sent may still bring the call to its end: they get some time. */
void ftc_leavable_poll(void)
{
    uint64_t now;

    atomic_store_explicit(&is_polled, true, memory_order_relaxed);
    if (!call.is_running || !is_in_call() || !call.is_hopeless(call.context))
        return;
    now = ftc_clock_ns();
    if (call.hopeless_since_ns == 0)
        call.hopeless_since_ns = now;
    if (now - call.hopeless_since_ns > HOPELESS_NS)
        setcontext(&call.caller);
}

void ftc_leavable_cannot_send(void)
{
    uint64_t until_ns = ftc_clock_ns() + DYING_NS;

    while (is_in_call() && (call.is_hopeless(call.context) || ftc_clock_ns() < until_ns)) {
        ftc_leavable_poll();
        sched_yield();
    }
}
