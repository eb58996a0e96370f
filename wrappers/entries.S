/* Entry points of the library: MPI_X and PMPI_X for each X that it interposes on (entries.h). */
#include "mpi/stub.inc"

.macro FTC_ALIAS alias name
    .globl \alias
    .hidden \alias
    .set \alias, \name
.endm

    .text
    FTC_FIRST ftc_entry_first ftc_entry_look_up

    FTC_TABLE ftc_entry_slot
#define FTC_INTERCEPTED(name) FTC_STUB MPI_##name ftc_entry_first;
#define FTC_NEEDED(name)
#define FTC_OPTIONAL(name)
#include "mpi/mpi_library.def"
#undef FTC_INTERCEPTED

    FTC_TABLE ftc_profiling_slot
#define FTC_INTERCEPTED(name) \
    FTC_STUB_BETWEEN PMPI_##name ftc_entry_first ftc_native_PMPI_##name; \
    FTC_ALIAS ftc_profiling_##name PMPI_##name;
#include "mpi/mpi_library.def"

    .section .note.GNU-stack, "", %progbits
