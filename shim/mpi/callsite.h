/* callsite: where in the program a call was made, for the report.
 *
 * Stacks are captured as return addresses when something happens. They are resolved to names only
 * when the report is written. libunwind is opened when it is needed. As a dependency of a preloaded
 * library it would precede libgcc_s and take over the exceptions of C++ programs, because it
 * exports the same _Unwind_ symbols. */
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

/* Stores in @stack at most @depth frames of the caller's stack, from the first one outside of this
 * library and of MPI. Stores only @return_address if that is enough or libunwind is missing. */
void ftc_callsite_capture(const void *return_address, int depth, struct ftc_stack *stack);

/* Returns the return address in the program of a call that came with @return_address. It is another
 * address if the call went through a language binding of MPI or a tool. Cheap if it did not. */
const void *ftc_callsite_of(const void *return_address);

/* Writes the name of a return address to @text: "module(function+0x12)", with the C++ name of a C++
 * function. If the module's file has no symbol for it: "module+0x1234", which addr2line accepts. If
 * it is in no file: "0x1234". All processes get the same name. If @size is too small, the
 * function's parameters are cut first. */
void ftc_callsite_name(const void *return_address, char *text, size_t size);

/* As above, but for an address in @pid, a living process of the same user. */
void ftc_callsite_name_in(int pid, unsigned long return_address, char *text, size_t size);

/* Returns the return address in the program of a call in process @pid that has come through a
 * binding of MPICH, such as Fortran's. It is the next return address on the stack above
 * @return_address, which must be at @stack or not far above. Returns @return_address itself for any
 * other call, and if the stack cannot be read. */
unsigned long ftc_callsite_beyond_mpi(int pid, unsigned long return_address, unsigned long stack);

#endif
