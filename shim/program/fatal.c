#include "fatal.h"

#include "monitor/monitor.h"
#include "own_crash.h"
#include "system/loaded.h"

#include <stdint.h>

/* Code of the MPI library and of UCX's functions for fatal errors. It is found beforehand, because
 * a program may call abort() in a signal handler, where the dynamic linker must not be called. */
static struct {
    uintptr_t start, bytes;
} code[2];

/* Stores the address of its caller. An operation for MPI_Reduce_local(). */
static void note_caller(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)in;
    (void)length;
    (void)type;
    *(const void **)inout = __builtin_return_address(0);
}

/* Returns an address in the code of the MPI library; NULL if that fails. The address of an MPI
 * function would not do, because a tool may interpose on each of them. */
static const void *address_in_mpi(void)
{
    const void *unused = NULL, *address = NULL;
    MPI_Op op;

    if (PMPI_Op_create(note_caller, 1, &op) != MPI_SUCCESS)
        return NULL;
    PMPI_Reduce_local(&unused, &address, sizeof address, MPI_BYTE, op);
    PMPI_Op_free(&op);
    return address;
}

void ftc_fatal_open(void)
{
    const void *const inside[] = {address_in_mpi(), ftc_loaded_next("ucs_fatal_error_message")};

    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        struct ftc_loaded object;

        if (inside[i] && ftc_loaded_around(inside[i], &object))
            ftc_loaded_code(&object, &code[i].start, &code[i].bytes);
    }
}

void ftc_fatal_end(const void *return_address)
{
    uintptr_t call = (uintptr_t)return_address - 1; /* no instruction need follow the call */

    ftc_own_crash_note(call); /* for a failed assertion of the library */
    for (size_t i = 0; i < sizeof code / sizeof *code; i++)
        if (call - code[i].start < code[i].bytes)
            ftc_monitor_stand_down();
}
