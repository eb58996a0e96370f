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
    HOPELESS_NS = 100000000, /* until then messages that were sent may still complete the call */
    DYING_NS = 1000000000,
    PROBES = 100,         /* at most; one suffices for the known devices */
    STACK_BYTES = 8 << 20 /* the program's functions that copy attributes run on it as well */
};

struct call {
    bool (*is_hopeless)(void *);
    void *context;
    uint64_t hopeless_since_ns;

    /* Data of a call that can be ended. */
    uint64_t number; /* number of its messages; 0: it can only be abandoned */
    MPI_Comm parent;
    struct ftc_muted muted, other; /* for @parent, and for what has no handler of its own */
    pthread_t muter;
    bool has_muter, was_ended;
    _Atomic bool is_quiet;

    ucontext_t caller, callee;
    void (*function)(void *);
    void *argument;
    bool is_over; /* whether it has returned; else it was abandoned */
};

enum { CALL_BYTES = (sizeof(struct call) + 63) & ~63ul }; /* aligned for a stack */

/* Present call of this thread, or NULL. The function that has begun it owns the record. */
static _Thread_local struct call *current;
static _Thread_local uintptr_t lowest, size; /* bounds of the stack that it runs on */

static _Atomic bool is_polled;

/* Returns whether this thread is in a call that can be ended or abandoned. A function of the
 * program that MPICH has called back may have left the call by a jump or an exception. The stack
 * shows that, and the call is forgotten. */
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

/* Returns whether the call has been hopeless for more than @ns. */
static bool has_had(uint64_t ns)
{
    uint64_t now = ftc_clock_ns();

    if (current->hopeless_since_ns == 0)
        current->hopeless_since_ns = now;
    return now - current->hopeless_since_ns > ns;
}

/* ---- ending ---- */

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

/* Mutes the error handlers while MPICH polls. Errors may also come from ranks that have ended their
 * call. With threads the polling thread holds MPICH's lock. Another thread therefore mutes them,
 * and gets the lock between two polls. */
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

/* Ends the pending receives of @call, and later its pending sends. Sends to dead ranks may be
 * pending as well, but those to living ranks need some time. */
static void end(struct call *call, void *worker)
{
    if (!call->is_quiet)
        return;
    call->was_ended |= ftc_native_messages_end_receives(call->number, worker);
    if (has_had(HOPELESS_NS + DYING_NS))
        call->was_ended |= ftc_native_messages_end_sends(call->number);
}

/* ---- abandoning ---- */

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

/* Runs a call that can be ended, on a stack of its own. The record of the call is on that stack, so
 * that both stay if a jump leaves the call. Without memory for a stack, runs the call as it is. */
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

/* Greatest distance between MPICH's calls that release and take its lock (16 bytes in 4.0.2, 179 in
 * 4.2.1, 345 in 5.0.2), and how often in a row it must be seen. */
enum { GAP_BYTES = 1024, TIMES = 16 };

static bool are_followed;
static _Thread_local bool awaits_gap;
static _Thread_local int locks; /* MPICH's locks that the thread holds while it awaits the gap */

/* Addresses in MPICH of the last calls that released and took a lock, and how often in a row it was
 * taken there. */
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

/* Returns whether MPICH waits in a call. It then releases and takes its lock alternately in one
 * function. Around a function of the program, or between two calls of MPI, the two addresses are
 * far apart. */
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

/* Interposes on libmpich's locks, if the device is ch4. With ch3 all other threads wait for the one
 * that polls. */
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
    else if (!ftc_wait_is_looking) /* not while a call of the library inside this one polls */
        abandon_in_gap();
}

/* ---- calls of both kinds ---- */

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
    forget_gap(); /* of a call that was left by a jump */
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

/* Probes for messages until MPICH has polled. It polls when it waits, as in MPI_Init, but with
 * device ch3 it checks the sockets once in 512 turns. A rank whose waits took fewer turns would
 * have another answer than the others. A probe, which does not wait, checks the sockets each
 * time. */
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
