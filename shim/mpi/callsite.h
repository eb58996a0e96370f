/* callsite: where in the program a call was made, for the report.
 *
 * Stacks are captured as return addresses when something happens and resolved to names only when
 * the report is written. libunwind is opened when it is needed: as a dependency of a
 * preloaded library it would stand before libgcc_s and take over the exceptions of C++ programs,
 * because it exports the same _Unwind_ symbols. */
#ifndef FTC_MPI_CALLSITE_H
#define FTC_MPI_CALLSITE_H

#include <stddef.h>

enum { FTC_STACK_MAX = 24 };

struct ftc_stack {
    int depth; /* at least 1 */
    void *address[FTC_STACK_MAX];
};

/* Opens libunwind ahead of the first capture, which then costs microseconds. */
void ftc_callsite_prepare(void);

/* At most @depth frames of the caller's stack, from the first outside of this library and of MPI.
 * Only @return_address where that is enough, or where libunwind is not there. */
void ftc_callsite_capture(const void *return_address, int depth, struct ftc_stack *stack);

/* The return address in the program of a call that came with @return_address: another one if it
 * went through a binding of MPI's. Cheap if it did not. */
const void *ftc_callsite_of(const void *return_address);

/* "module(function+0x12)" for a return address, with the C++ name of a C++ function, or
 * "module+0x1234", what addr2line takes, where the module's file has no symbol for it; "0x1234" for
 * what is in no file. The same in all processes. What is longer than @size is cut sensibly. */
void ftc_callsite_name(const void *return_address, char *text, size_t size);

/* The same for another living process of this user. */
void ftc_callsite_name_in(int pid, unsigned long return_address, char *text, size_t size);

/* Of a call that has come through a binding of MPICH, such as Fortran's, the return address in the
 * program: the next one on the stack of process @pid above @return_address, which is to be found at
 * @stack or not far above. Else, and if the stack cannot be read, @return_address itself. */
unsigned long ftc_callsite_beyond_mpi(int pid, unsigned long return_address, unsigned long stack);

#endif
