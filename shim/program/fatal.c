#include "fatal.h"

#include "monitor/monitor.h"

#include <link.h>
#include <stdint.h>

/* Where the MPI library is mapped, looked up beforehand: a program may call abort() in a signal
 * handler, where nothing can be asked of the dynamic linker. */
static uintptr_t start, end;

/* An operation that tells who calls it. */
static void note_caller(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)in;
    (void)length;
    (void)type;
    *(uintptr_t *)inout = (uintptr_t)__builtin_return_address(0);
}

/* Not the address of one of MPI's functions: a tool may stand before each of them. */
static uintptr_t address_in_mpi(void)
{
    uintptr_t unused = 0, address = 0;
    MPI_Op op;

    if (PMPI_Op_create(note_caller, 1, &op) != MPI_SUCCESS)
        return 0;
    PMPI_Reduce_local(&unused, &address, sizeof address, MPI_BYTE, op);
    PMPI_Op_free(&op);
    return address;
}

/* Called for each module that is loaded, until one contains *@address. */
static int take_module(struct dl_phdr_info *module, size_t size, void *address)
{
    uintptr_t wanted = *(const uintptr_t *)address, lowest = UINTPTR_MAX, highest = 0;

    (void)size;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        uintptr_t from = module->dlpi_addr + segment->p_vaddr, to = from + segment->p_memsz;

        if (segment->p_type != PT_LOAD)
            continue;
        lowest = from < lowest ? from : lowest;
        highest = to > highest ? to : highest;
    }
    if (wanted < lowest || wanted >= highest)
        return 0;
    start = lowest;
    end = highest;
    return 1;
}

void ftc_fatal_open(void)
{
    uintptr_t address = address_in_mpi();

    if (address != 0)
        dl_iterate_phdr(take_module, &address);
}

void ftc_fatal_end(const void *return_address)
{
    uintptr_t call = (uintptr_t)return_address - 1; /* nothing need follow the call */

    if (call >= start && call < end)
        ftc_monitor_stand_down();
}
