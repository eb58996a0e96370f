#include "abandonable.h"

#include "board/rank_state.h"
#include "communicator/error_handler.h"
#include "library.h"
#include "mpi/inside.h"
#include "native_messages.h"
#include "program/native_yield.h"
#include "progress/wait.h"
#include "system/clock.h"
#include "system/imports.h"
#include "system/quiet_thread.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum {
    HOPELESS_NS = 100000000, /* what the others have sent may still bring a call to its end */
    DYING_NS = 1000000000,
    PROBES = 100,         /* one will do for the devices that are known */
    STACK_BYTES = 8 << 20 /* the program's own functions run on it too: they copy attributes */
};

struct call {
    bool (*is_hopeless)(void *);
    void *context;
    uint64_t hopeless_since_ns;

    /* Of one that can be ended: */
    uint64_t number; /* of its messages; 0: it is to be abandoned */
    MPI_Comm parent;
    struct ftc_muted muted, other; /* @parent, and what has no error handler of its own */
    pthread_t muter;
    bool has_muter, was_ended;
    _Atomic bool is_quiet;

    ucontext_t caller, callee;
    void (*function)(void *);
    void *argument;
    bool is_over; /* else it was abandoned */
};

enum { CALL_BYTES = (sizeof(struct call) + 63) & ~63ul }; /* aligned as a stack is */

/* The one call of this thread that is under way, which is kept by who has begun it. */
static _Thread_local struct call *current;
static _Thread_local uintptr_t lowest, size; /* of the stack that it is on */

static _Atomic bool is_polled;

/* False also once what the call has called back (a function of the program's) has left it by a jump
 * or an exception: then nothing of it is there any more. */
static bool is_in_call(void)
{
    if (current && (uintptr_t)__builtin_frame_address(0) - lowest >= size) {
        current = NULL;
        ftc_native_messages_leave();
    }
    return current;
}

static bool is_in_vain(void)
{
    return is_in_call() && current->is_hopeless(current->context);
}

static bool has_had(uint64_t ns)
{
    uint64_t now = ftc_clock_ns();

    if (current->hopeless_since_ns == 0)
        current->hopeless_since_ns = now;
    return now - current->hopeless_since_ns > ns;
}

/* ---- to be ended ---- */

static void *mute(void *argument)
{
    struct call *call = argument;

    ftc_error_handler_mute(&call->muted, call->parent);
    ftc_error_handler_mute(&call->other, MPI_COMM_WORLD);
    call->is_quiet = true;
    return NULL;
}

static bool has_to_be_muted(const struct call *call)
{
    return !call->is_quiet && !call->has_muter && ftc_board_is_anyone_dead(&ftc_library.board);
}

/* An error may also come from those who have ended theirs. With threads MPICH, which polls, has its
 * lock, and another thread gets it in between. */
static void mute_in_poll(struct call *call)
{
    if (!ftc_library.threaded)
        mute(call);
    else
        call->has_muter = ftc_quiet_thread(&call->muter, mute, call) == 0;
}

static void unmute(struct call *call, const MPI_Comm *made)
{
    if (call->has_muter)
        pthread_join(call->muter, NULL);
    ftc_error_handler_unmute(&call->other, MPI_COMM_WORLD, NULL);
    ftc_error_handler_unmute(&call->muted, call->parent, made);
}

/* Sends to a dead rank may be pending, too; but those to the living need some time. */
static void end(struct call *call, void *worker)
{
    if (!call->is_quiet)
        return;
    call->was_ended |= ftc_native_messages_end_receives(call->number, worker);
    if (has_had(HOPELESS_NS + DYING_NS))
        call->was_ended |= ftc_native_messages_end_sends(call->number);
}

/* ---- to be abandoned ---- */

static void *take_stack(void)
{
    void *taken = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

    return taken == MAP_FAILED ? NULL : taken;
}

static void begin(void)
{
    struct call *call = current;

    call->function(call->argument);
    call->is_over = true;
}

static void run_on(char *stack, struct call *call)
{
    getcontext(&call->callee);
    call->callee.uc_stack.ss_sp = stack;
    call->callee.uc_stack.ss_size = STACK_BYTES - CALL_BYTES;
    call->callee.uc_link = &call->caller;
    makecontext(&call->callee, begin, 0);
    lowest = (uintptr_t)stack;
    size = STACK_BYTES;
    current = call;
    swapcontext(&call->caller, &call->callee);
    current = NULL;
}

/* The record of the call stands on its stack, too: both stay if a jump leaves them. */
static enum ftc_abandonable_end make(const struct call *call, const MPI_Comm *made)
{
    char *stack = take_stack();
    enum ftc_abandonable_end end = FTC_ABANDONABLE_OVER;
    struct call *own;

    if (!stack) {
        call->function(call->argument);
        return FTC_ABANDONABLE_OVER;
    }
    own = (struct call *)(stack + STACK_BYTES - CALL_BYTES);
    *own = *call;
    own->number = ftc_native_messages_begin();
    if (has_to_be_muted(own))
        mute(own);
    run_on(stack, own);
    ftc_native_messages_leave();
    unmute(own, made);
    if (own->was_ended)
        end = FTC_ABANDONABLE_ENDED;
    else if (own->is_quiet)
        end = FTC_ABANDONABLE_OVER_QUIETLY;
    munmap(stack, STACK_BYTES);
    return end;
}

/* How far apart MPICH's two calls are at most: 16 bytes in 4.0.2, 179 in 4.2.1, 345 in 5.0.2. */
enum { GAP_BYTES = 1024, TIMES = 16 };

static bool are_followed;
static _Thread_local bool awaits_gap;
static _Thread_local int locks; /* of MPICH's that the thread holds, while it awaits */

/* The places in MPICH where it last released and took a lock; how often there in a row. */
static _Thread_local struct {
    uintptr_t given_up, taken;
    int times;
} place;

static void forget_gap(void)
{
    awaits_gap = false;
    place.times = 0;
}

static void abandon(void)
{
    forget_gap();
    if (is_in_call())
        setcontext(&current->caller);
}

/* Returns whether MPICH waits: it then releases and takes its lock in one function, turn for turn.
 * Around a function of the program, or between two calls of MPI, the two places are far apart. */
static bool is_in_gap(uintptr_t taken)
{
    if (!awaits_gap || locks > 0)
        return false;
    place.times = place.taken == taken ? place.times + 1 : 1;
    place.taken = taken;
    return taken - place.given_up + GAP_BYTES < 2 * GAP_BYTES && place.times >= TIMES;
}

static int lock(pthread_mutex_t *mutex)
{
    if (is_in_gap((uintptr_t)__builtin_return_address(0)))
        abandon();
    locks += awaits_gap;
    return pthread_mutex_lock(mutex);
}

static int unlock(pthread_mutex_t *mutex)
{
    int rv;

    if (awaits_gap && locks > 0)
        locks--;
    place.given_up = (uintptr_t)__builtin_return_address(0);
    rv = pthread_mutex_unlock(mutex);
    ftc_native_yield_unlocked();
    return rv;
}

/* Interposes on libmpich's locks. With ch3 all other threads wait for the one that polls. */
static void redirect_locks(void)
{
    const struct ftc_loaded *mpi = ftc_mpi_object();

    are_followed = strncmp(ftc_inside_device(), "ch4:", 4) == 0 &&
                   ftc_imports_redirect(mpi, "pthread_mutex_unlock", (void *)(uintptr_t)unlock) &&
                   ftc_imports_redirect(mpi, "pthread_mutex_lock", (void *)(uintptr_t)lock);
}

bool ftc_abandonable_follow_locks(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, redirect_locks);
    return are_followed;
}

static void abandon_in_gap(void)
{
    ftc_abandonable_follow_locks();
    awaits_gap = true;
    locks = 1;
}

static void begin_to_abandon(void)
{
    if (!ftc_library.threaded)
        abandon();
    else if (!ftc_wait_is_looking) /* for a call of the library's within this one */
        abandon_in_gap();
}

/* ---- either ---- */

enum ftc_abandonable_end ftc_abandonable_make(void (*function)(void *argument), void *argument,
                                              bool (*is_hopeless)(void *context), void *context,
                                              MPI_Comm parent, const MPI_Comm *made)
{
    struct call call = {.function = function,
                        .argument = argument,
                        .is_hopeless = is_hopeless,
                        .context = context,
                        .parent = parent};

    if (!is_in_call() && ftc_native_messages_can_end())
        return make(&call, made);
    return ftc_abandonable_run(function, argument, is_hopeless, context)
               ? FTC_ABANDONABLE_OVER
               : FTC_ABANDONABLE_ABANDONED;
}

bool ftc_abandonable_run(void (*function)(void *argument), void *argument,
                         bool (*is_hopeless)(void *context), void *context)
{
    struct call call = {
        .function = function, .argument = argument, .is_hopeless = is_hopeless, .context = context};
    void *stack = ftc_inside_has(FTC_INSIDE_ABANDON) && !is_in_call() ? take_stack() : NULL;

    if (!stack) {
        function(argument);
        return true;
    }
    forget_gap(); /* of one that was left by a jump */
    run_on(stack, &call);
    forget_gap();
    if (call.is_over)
        munmap(stack, STACK_BYTES);
    return call.is_over;
}

bool ftc_abandonable_run_on_file(void (*function)(void *argument), void *argument,
                                 bool (*is_hopeless)(void *context), void *context)
{
    if (!ftc_library.threaded)
        return ftc_abandonable_run(function, argument, is_hopeless, context);
    function(argument);
    return true;
}

/* MPI_Init has waited, but with device ch3 a wait looks at the sockets once in 512 turns: a rank
 * that came through in fewer would have no part of what the others do. What looks without
 * waiting does it each time. */
bool ftc_abandonable_is_polled(void)
{
    int flag;

    for (int i = 0; i < PROBES && !atomic_load(&is_polled); i++)
        PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    return atomic_load(&is_polled);
}

static void look(void *worker)
{
    if (current->number != 0 && has_to_be_muted(current))
        mute_in_poll(current);
    if (!is_in_vain() || !has_had(HOPELESS_NS))
        return;
    if (current->number != 0)
        end(current, worker);
    else
        begin_to_abandon();
}

void ftc_abandonable_poll_worker(void *worker)
{
    atomic_store_explicit(&is_polled, true, memory_order_relaxed);
    if (current && is_in_call())
        look(worker);
}

void ftc_abandonable_poll(void)
{
    ftc_abandonable_poll_worker(NULL);
}

bool ftc_abandonable_cannot_send(void)
{
    uint64_t until_ns = ftc_clock_ns() + DYING_NS;

    while (is_in_call() && !is_in_vain() && ftc_clock_ns() < until_ns)
        sched_yield();
    return is_in_vain();
}
