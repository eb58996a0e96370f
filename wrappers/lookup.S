/* dlsym() of the library (lookup.c). */
#include "mpi/stub.inc"

    .text
/* Returns the answer of ftc_lookup_answer(). If there is none, jumps to the C library's dlsym(),
 * which checks the return address to find its caller. */
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
