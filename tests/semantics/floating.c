/* floating: reductions of a program that sets its floating-point modes, before MPI_Init (argument
 * "before") or after it: rounding, flushing of small numbers to zero, and exceptions that trap.
 * Time passes between call and wait, in which another thread may go on with an operation. */
#include "output.h"

#include <fenv.h>
#include <float.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

enum { ROUNDS = 3, PAUSE_US = 3000, COUNT = 2 };

static int rank, n;
static pthread_t program_thread;

static void flush_to_zero(int is_on)
{
#ifdef __x86_64__
    _MM_SET_FLUSH_ZERO_MODE(is_on ? _MM_FLUSH_ZERO_ON : _MM_FLUSH_ZERO_OFF);
#endif
}

static double of_ranks(double first, double second)
{
    return rank == 0 ? first : rank == 1 ? second : 0;
}

/* The sum of two numbers in each way to ask for it; of more ranks the others have none. */
static void sums(const char *modes, double first, double second)
{
    double in[COUNT] = {of_ranks(first, second), of_ranks(second, first)}, out[COUNT] = {0};
    MPI_Request request;

    output_result(modes, MPI_Allreduce(in, out, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), out,
                  sizeof out);
    for (int round = 0; round < ROUNDS; round++) {
        memset(out, 0, sizeof out);
        MPI_Iallreduce(in, out, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        usleep(PAUSE_US);
        output_result(modes, MPI_Wait(&request, MPI_STATUS_IGNORE), out, sizeof out);
        memset(out, 0, sizeof out);
        MPI_Ireduce(in, out, COUNT, MPI_DOUBLE, MPI_SUM, n - 1, MPI_COMM_WORLD, &request);
        usleep(PAUSE_US);
        output_result(modes, MPI_Wait(&request, MPI_STATUS_IGNORE), out, sizeof out);
    }
}

static void long_sums(const char *modes, double first, double second)
{
    long double in = (long double)of_ranks(first, second), out = 0;
    MPI_Request request;
    double difference;

    MPI_Iallreduce(&in, &out, 1, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    usleep(PAUSE_US);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    difference = (double)(out - 1);
    output_result(modes, MPI_SUCCESS, &difference, sizeof difference);
}

static void modes(void)
{
    flush_to_zero(1);
    sums("flushed to zero", 1.5 * DBL_MIN, -DBL_MIN);
    flush_to_zero(0);
    sums("not flushed", 1.5 * DBL_MIN, -DBL_MIN);
    fesetround(FE_UPWARD);
    sums("upward", 1, 1e-20);
    long_sums("long, upward", 1, 1e-25);
    fesetround(FE_DOWNWARD);
    sums("downward", 1, -1e-20);
    fesetround(FE_TONEAREST);
    sums("to nearest", 1, 1e-20);
}

/* ---- exceptions ---- */

static volatile int traps, traps_elsewhere;

/* Goes on without the trap. */
static void on_trap(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    traps++;
    traps_elsewhere += !pthread_equal(pthread_self(), program_thread);
#ifdef __x86_64__
    ((ucontext_t *)context)->uc_mcontext.fpregs->mxcsr |= _MM_MASK_MASK;
    ((ucontext_t *)context)->uc_mcontext.fpregs->cwd |= FE_ALL_EXCEPT;
#endif
}

/* Whether any rank had an exception, as which ranks compute is native MPI's own. */
static int some(int here)
{
    int anywhere;

    MPI_Allreduce(&here, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return anywhere;
}

static void tell(const char *what, int exception)
{
    output_line("%s: trapped %d, elsewhere %d, raised %d", what, some(traps > 0),
                some(traps_elsewhere), some(fetestexcept(exception) != 0));
}

static void overflow(const char *what, int traps_are_on, int is_nonblocking)
{
    double in = DBL_MAX, out = 0;
    MPI_Request request;

    traps = traps_elsewhere = 0;
    feclearexcept(FE_ALL_EXCEPT);
    if (traps_are_on)
        feenableexcept(FE_OVERFLOW);
    if (is_nonblocking) {
        MPI_Iallreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        usleep(PAUSE_US);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    fedisableexcept(FE_ALL_EXCEPT);
    tell(what, FE_OVERFLOW);
    output_result(what, MPI_SUCCESS, &out, sizeof out);
}

static void exceptions(void)
{
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};

    sigaction(SIGFPE, &action, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        overflow("overflow", 0, 0);
        overflow("overflow, nonblocking", 0, 1);
        overflow("trap", 1, 0);
        overflow("trap, nonblocking", 1, 1);
    }
}

int main(int argc, char **argv)
{
    program_thread = pthread_self();
    if (argc > 2 && strcmp(argv[2], "before") == 0) {
        feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
        flush_to_zero(1);
    }
    output_init(argc, argv, &rank, &n);
    fedisableexcept(FE_ALL_EXCEPT);
    modes();
    exceptions();
    output_close();
    MPI_Finalize();
    return 0;
}
