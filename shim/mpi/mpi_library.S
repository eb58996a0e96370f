/* Stubs for the functions of MPI that the library calls (mpi_library.h). */
#include "stub.inc"

    .text
    FTC_FIRST ftc_mpi_first ftc_mpi_look_up
    FTC_TABLE ftc_mpi_slot

#define FTC_INTERCEPTED(name) FTC_STUB ftc_native_PMPI_##name ftc_mpi_first;
#define FTC_NEEDED(name)      FTC_STUB ftc_native_##name ftc_mpi_first
#define FTC_OPTIONAL(name)    FTC_STUB ftc_native_##name ftc_mpi_first
#include "mpi_library.def"

    .section .note.GNU-stack, "", %progbits
