#include "own_crash.h"

#include "board/death.h"
#include "library.h"
#include "system/libc.h"
#include "system/loaded.h"
#include "system/own_code.h"

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>
#include <unistd.h>

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
enum { SIGNALS = sizeof signals / sizeof *signals };

static struct sigaction before[SIGNALS];

/* Code of this library and of the C library. */
static struct code {
    uintptr_t start, bytes;
} own, libc;

static bool is_in(const struct code *code, uintptr_t address)
{
    return address - code->start < code->bytes;
}

void ftc_own_crash_note(uintptr_t address)
{
    if (is_in(&own, address) && ftc_board_is_open(&ftc_library.board))
        ftc_death_note_crash(&ftc_library.board, (uint32_t)ftc_library.world_rank,
                             ftc_own_code_offset(address));
}

#if defined __x86_64__
static uintptr_t instruction(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}

/* Returns an address in the caller of the current function; 0 if the stack cannot be read, as after
 * an overflow. Reads the stack by the kernel, because a second crash here would end the process
 * before the program's own handler runs. */
static uintptr_t caller(const ucontext_t *context)
{
    uintptr_t address = 0;
    struct iovec here = {&address, sizeof address};
    struct iovec there = {(void *)(uintptr_t)context->uc_mcontext.gregs[REG_RSP], sizeof address};

    return ftc_libc_process_vm_readv(getpid(), &here, &there) == sizeof address ? address - 1 : 0;
}
#elif defined __aarch64__
static uintptr_t instruction(const ucontext_t *context)
{
    return context->uc_mcontext.pc;
}

static uintptr_t caller(const ucontext_t *context)
{
    return context->uc_mcontext.regs[30] - 1;
}
#else
static uintptr_t instruction(const ucontext_t *context)
{
    (void)context;
    return 0;
}

static uintptr_t caller(const ucontext_t *context)
{
    return instruction(context);
}
#endif

/* Notes the crash. If the instruction is in the C library, notes its caller instead. memcpy() and
 * similar functions keep nothing on the stack. The return address is therefore where the stack
 * pointer points, or in the link register. */
static void note_crash(const ucontext_t *context)
{
    uintptr_t at = instruction(context);

    ftc_own_crash_note(is_in(&libc, at) ? caller(context) : at);
}

/* Passes the signal on to the program's handler. Without one, the instruction crashes again on
 * return from this handler, with its usual effect. A signal that a process has sent does not come
 * again by itself, so it is raised. */
static void pass_on(const struct sigaction *next, int number, siginfo_t *info, void *context)
{
    if ((next->sa_flags & SA_SIGINFO) != 0) {
        next->sa_sigaction(number, info, context);
    } else if (next->sa_handler != SIG_DFL && next->sa_handler != SIG_IGN) {
        next->sa_handler(number);
    } else {
        sigaction(number, next, NULL);
        if (info->si_code <= 0)
            raise(number);
    }
}

/* Returns whether the signal is a floating-point trap. Only the program enables traps, and they
 * concern its numbers. */
static bool is_trap(int number, const siginfo_t *info)
{
    return number == SIGFPE && info->si_code >= FPE_FLTDIV;
}

/* Handles a signal. A positive code means that the kernel reports a crash. */
static void on_crash(int number, siginfo_t *info, void *context)
{
    if (info->si_code > 0 && !is_trap(number, info))
        note_crash(context);
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i] == number)
            pass_on(&before[i], number, info, context);
}

static void find_code(const void *inside, struct code *code)
{
    struct ftc_loaded object;

    if (ftc_loaded_around(inside, &object))
        ftc_loaded_code(&object, &code->start, &code->bytes);
}

void ftc_own_crash_open(void)
{
    find_code(&own, &own);
    find_code((const void *)(uintptr_t)getppid, &libc);
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction action = {0};

        if (sigaction(signals[i], NULL, &before[i]) != 0)
            continue;
        action.sa_sigaction = on_crash;
        action.sa_mask = before[i].sa_mask;
        action.sa_flags = before[i].sa_flags | SA_SIGINFO | SA_ONSTACK;
        sigaction(signals[i], &action, NULL);
    }
}
