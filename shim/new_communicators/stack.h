/* stack: stacks for calls of native MPI that may be left, or paused, while it polls. */
#ifndef FTC_NEW_COMMUNICATORS_STACK_H
#define FTC_NEW_COMMUNICATORS_STACK_H

#include <stdbool.h>
#include <ucontext.h>

/* NULL without memory. */
void *ftc_stack_take(void);

/* Once nothing runs on it any more. */
void ftc_stack_give_back(void *stack);

/* Whether the caller runs on it. */
bool ftc_stack_is_on(const void *stack);

/* Fills @callee with a call of @function on @stack, which returns to @caller. */
void ftc_stack_prepare(void *stack, ucontext_t *callee, ucontext_t *caller, void (*function)(void));

#endif
