#include "detour.h"

#include "aside.h"
#include "library.h"
#include "program/native_call.h"
#include "progress/wait.h"
#include "stack.h"

#include <stdlib.h>
#include <ucontext.h>

struct ftc_detour {
    ucontext_t caller, callee;
    void (*function)(void *);
    void *argument;
    char *stack;
    bool is_awaited, is_over;
    struct ftc_aside *aside; /* instead of all that */
};

static struct ftc_detour *current;
static int awaited;

/* Not what an error handler has left by a jump, nor what is on another stack within it. */
static bool is_on(void)
{
    return current && ftc_stack_is_on(current->stack);
}

static void begin(void)
{
    struct ftc_detour *d = current;

    d->function(d->argument);
    d->is_over = true;
}

static struct ftc_detour *open_aside(void (*function)(void *argument), void *argument)
{
    struct ftc_detour *d = calloc(1, sizeof *d);

    if (d)
        d->aside = ftc_aside_begin(function, argument);
    if (d && d->aside)
        return d;
    free(d);
    return NULL;
}

struct ftc_detour *ftc_detour_open(void (*function)(void *argument), void *argument,
                                   bool is_awaited)
{
    struct ftc_detour *d;

    if (ftc_library.threaded)
        return open_aside(function, argument);
    d = calloc(1, sizeof *d);
    if (d)
        d->stack = ftc_stack_take();
    if (!d || !d->stack) {
        free(d);
        return NULL;
    }
    d->function = function;
    d->argument = argument;
    ftc_stack_prepare(d->stack, &d->callee, &d->caller, begin);
    d->is_awaited = is_awaited;
    awaited += is_awaited;
    ftc_native_call_set_first(ftc_detour_await_all);
    return d;
}

bool ftc_detour_resume(struct ftc_detour *d)
{
    if (d->aside)
        return ftc_aside_is_over(d->aside);
    if (d->is_over)
        return true;
    current = d;
    swapcontext(&d->caller, &d->callee);
    current = NULL;
    return d->is_over;
}

bool ftc_detour_close(struct ftc_detour *d)
{
    bool is_over = d->aside ? ftc_aside_close(d->aside) : d->is_over;

    awaited -= d->is_awaited;
    if (is_over && d->stack)
        ftc_stack_give_back(d->stack);
    free(d);
    return is_over;
}

int ftc_detour_awaited(void)
{
    return awaited;
}

void ftc_detour_await_all(void)
{
    struct ftc_wait wait = {0};

    while (awaited > 0 && !is_on()) {
        ftc_wait_look_at_native();
        ftc_wait_native_turn(&wait);
    }
}

bool ftc_detour_pause(void)
{
    struct ftc_detour *d = is_on() ? current : NULL;

    if (!d)
        return false;
    swapcontext(&d->callee, &d->caller);
    return true;
}
