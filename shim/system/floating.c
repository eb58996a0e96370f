#include "floating.h"

#include <float.h>

static _Thread_local char this_thread; /* variable whose address identifies a thread */

/* ---- the machine ----
 *
 * The functions of <fenv.h> for this are in libm, with which this library is not linked.
 *
 * struct saved                   state of a thread
 * vector_modes, stacked_modes    return the modes
 * hold                           sets other modes without traps, and clears raised exceptions
 * release                        restores the state, and returns the exceptions raised since
 * trapping                       returns the exceptions that trap with these modes
 * has_raised, add_raised         return and add exceptions raised in this thread
 */

#if defined(__x86_64__)

/* Bits of exceptions. They are the same in MXCSR and in the status word of the stacked
 * registers. */
enum { INVALID = 1, DIVISION = 4, OVERFLOW = 8, UNDERFLOW = 16, INEXACT = 32, EXCEPTIONS = 0x3f };

enum {
    MODES = 0xffc0, /* bits of MXCSR, except those of raised exceptions */
    MASKS_AT = 7,   /* first bit of the exceptions that do not trap */
    MASKS = EXCEPTIONS << MASKS_AT,
};

#define AT_START ((struct ftc_float_modes){.vector = MASKS, .stacked = 0x37f})

struct saved {
    uint32_t vector;
    uint16_t stacked[14]; /* in the format of fnstenv */
};

static uint64_t vector_modes(void)
{
    return __builtin_ia32_stmxcsr() & MODES;
}

static uint32_t stacked_modes(void)
{
    uint16_t stacked;

    __asm__ volatile("fnstcw %0" : "=m"(stacked));
    return stacked;
}

static void hold(struct saved *before, struct ftc_float_modes modes)
{
    uint16_t stacked = (uint16_t)(modes.stacked | EXCEPTIONS);

    before->vector = __builtin_ia32_stmxcsr();
    __asm__ volatile("fnstenv %0\n\tfnclex\n\tfldcw %1" : "=m"(before->stacked) : "m"(stacked));
    __builtin_ia32_ldmxcsr((uint32_t)modes.vector | MASKS);
}

static unsigned release(const struct saved *before)
{
    uint16_t stacked;
    uint32_t vector = __builtin_ia32_stmxcsr();

    __asm__ volatile("fnstsw %0\n\tfldenv %1" : "=m"(stacked) : "m"(before->stacked));
    __builtin_ia32_ldmxcsr(before->vector);
    return (vector | stacked) & EXCEPTIONS;
}

static unsigned trapping(uint64_t vector)
{
    return ~((unsigned)vector >> MASKS_AT) & EXCEPTIONS;
}

static unsigned has_raised(void)
{
    return __builtin_ia32_stmxcsr() & EXCEPTIONS;
}

static void add_raised(unsigned raised)
{
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | raised);
}

#elif defined(__aarch64__)

enum { INVALID = 1, DIVISION = 2, OVERFLOW = 4, UNDERFLOW = 8, INEXACT = 16, EXCEPTIONS = 0x9f };

enum { TRAPS_AT = 8 }; /* first bit in FPCR; in FPSR raised exceptions begin at bit 0 */

#define AT_START ((struct ftc_float_modes){.vector = 0})

struct saved {
    uint64_t modes, raised;
};

static uint64_t control(void)
{
    uint64_t bits;

    __asm__ volatile("mrs %0, fpcr" : "=r"(bits));
    return bits;
}

static uint64_t status(void)
{
    uint64_t bits;

    __asm__ volatile("mrs %0, fpsr" : "=r"(bits));
    return bits;
}

static void set(uint64_t modes, uint64_t raised)
{
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(modes), "r"(raised) : "memory");
}

static uint64_t vector_modes(void)
{
    return control();
}

static uint32_t stacked_modes(void)
{
    return 0;
}

static void hold(struct saved *before, struct ftc_float_modes modes)
{
    *before = (struct saved){control(), status()};
    set(modes.vector & ~((uint64_t)EXCEPTIONS << TRAPS_AT), before->raised & ~(uint64_t)EXCEPTIONS);
}

static unsigned release(const struct saved *before)
{
    unsigned raised = status() & EXCEPTIONS;

    set(before->modes, before->raised);
    return raised;
}

static unsigned trapping(uint64_t vector)
{
    return (unsigned)(vector >> TRAPS_AT) & EXCEPTIONS;
}

static unsigned has_raised(void)
{
    return (unsigned)status() & EXCEPTIONS;
}

static void add_raised(unsigned raised)
{
    set(control(), status() | raised);
}

#else
/* cppcheck-suppress preprocessorErrorDirective */
#error "the floating-point modes of this machine are not known"
#endif

/* ---- a call ---- */

bool ftc_floating_traps(void)
{
    return trapping(vector_modes()) != 0;
}

void ftc_floating_begin(struct ftc_floating *f, bool uses_stacked)
{
    uint64_t vector = vector_modes();

    f->modes = AT_START;
    f->modes.vector = vector;
    if (uses_stacked)
        f->modes.stacked = stacked_modes();
    f->uses_stacked = uses_stacked;
    f->has_traps = trapping(vector) != 0;
    f->thread = &this_thread;
    f->raised = 0;
}

/* Returns whether this thread has made the call, still has its modes, and has no traps. Exceptions
 * may then stay raised in it. */
static bool is_there(const struct ftc_floating *f)
{
    return f->thread == &this_thread && !f->has_traps && vector_modes() == f->modes.vector &&
           (!f->uses_stacked || stacked_modes() == f->modes.stacked);
}

/* Runs @work between two barriers for the compiler. Computed values are read from and written to
 * memory, so none of the computation is moved out of here. */
static void work_bracketed(void (*work)(void *argument), void *argument)
{
    __asm__ volatile("" : : : "memory");
    work(argument);
    __asm__ volatile("" : : : "memory");
}

void ftc_floating_run(struct ftc_floating *f, void (*work)(void *argument), void *argument)
{
    struct saved before;

    if (is_there(f)) {
        work(argument);
        return;
    }
    hold(&before, f->modes);
    work_bracketed(work, argument);
    f->raised |= release(&before);
}

void ftc_floating_run_plainly(void (*work)(void *argument), void *argument)
{
    struct saved before;

    hold(&before, AT_START);
    work_bracketed(work, argument);
    release(&before);
}

/* Operands. They are volatile, so that the results are computed at run time. */
static volatile double zero = 0, largest = DBL_MAX, least = DBL_MIN, three = 3;

static void compute(unsigned exception)
{
    volatile double result;

    if (exception == INVALID)
        result = zero / zero;
    else if (exception == DIVISION)
        result = three / zero;
    else if (exception == OVERFLOW)
        result = largest * largest;
    else if (exception == UNDERFLOW)
        result = least * least;
    else
        result = 1 / three;
    (void)result;
}

static void raise_again(unsigned raised)
{
    static const unsigned by_computing[] = {INVALID, DIVISION, OVERFLOW, UNDERFLOW, INEXACT};
    unsigned trap = raised & trapping(vector_modes());

    if (raised & ~has_raised() & ~trap)
        add_raised(raised & ~trap);
    for (unsigned i = 0; i < sizeof by_computing / sizeof *by_computing; i++)
        if (trap & by_computing[i])
            compute(by_computing[i]);
}

void ftc_floating_raise(struct ftc_floating *f)
{
    unsigned raised = f->raised;

    f->raised = 0;
    if (raised != 0)
        raise_again(raised);
}
