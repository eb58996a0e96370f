/* The entry points of the library: MPI_X and PMPI_X for each X that it stands before (entries.h),
 * and dlsym(). */
#include "mpi/stub.inc"

.macro FTC_ALIAS alias name
    .globl \alias
    .hidden \alias
    .set \alias, \name
.endm

    .text
    FTC_FIRST ftc_entry_first ftc_entry_look_up

    FTC_TABLE ftc_entry_slot
#define FTC_INTERCEPTED(name) FTC_STUB MPI_##name ftc_entry_first
#define FTC_NEEDED(name)
#define FTC_OPTIONAL(name)
#include "mpi/mpi_library.def"
#undef FTC_INTERCEPTED

    FTC_TABLE ftc_profiling_slot
#define FTC_INTERCEPTED(name) \
    FTC_STUB_BETWEEN PMPI_##name ftc_entry_first ftc_native_PMPI_##name; \
    FTC_ALIAS ftc_profiling_##name PMPI_##name
#include "mpi/mpi_library.def"

/* Where ftc_lookup_answer() has no answer, the C library's dlsym() has, which looks at who calls. */
    FTC_FUNCTION dlsym
#if defined(__x86_64__)
    push %rdi
    push %rsi
    sub $8, %rsp
    mov 24(%rsp), %rdx
    call ftc_lookup_answer
    add $8, %rsp
    pop %rsi
    pop %rdi
    test %rdx, %rdx
    jz 1f
    ret
1:  jmp *ftc_lookup_native(%rip)
#elif defined(__aarch64__)
    stp x29, x30, [sp, #-32]!
    mov x29, sp
    stp x0, x1, [sp, #16]
    mov x2, x30
    bl ftc_lookup_answer
    mov x16, x0
    mov x17, x1
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp], #32
    cbz x17, 1f
    mov x0, x16
    ret
1:  adrp x16, ftc_lookup_native
    ldr x16, [x16, #:lo12:ftc_lookup_native]
    br x16
#endif
    .size dlsym, . - dlsym

    .section .note.GNU-stack, "", %progbits
