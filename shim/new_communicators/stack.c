#include "stack.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

enum {
    STACK_BYTES = 8 << 20
}; /* the program's own functions run on it too: they copy attributes */

static _Atomic(void *) spare; /* one that nothing runs on */

void *ftc_stack_take(void)
{
    void *taken = atomic_exchange(&spare, NULL);

    if (taken)
        return taken;
    taken = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    return taken == MAP_FAILED ? NULL : taken;
}

void ftc_stack_give_back(void *stack)
{
    void *none = NULL;

    if (!atomic_compare_exchange_strong(&spare, &none, stack))
        munmap(stack, STACK_BYTES);
}

bool ftc_stack_is_on(const void *stack)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    return here - (uintptr_t)stack < STACK_BYTES;
}

void ftc_stack_prepare(void *stack, ucontext_t *callee, ucontext_t *caller, void (*function)(void))
{
    getcontext(callee);
    callee->uc_stack.ss_sp = stack;
    callee->uc_stack.ss_size = STACK_BYTES;
    callee->uc_link = caller;
    makecontext(callee, function, 0);
}
