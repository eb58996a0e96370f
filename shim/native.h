/* native: marks on the board that this rank is in a call that native MPI carries out and that can
 * wait for other ranks. When one of those is dead, the monitor process sees from the mark who waits
 * for whom (setting on_blocked).
 *
 * There is one mark a rank: of calls inside of calls the outermost has it, of threads the first. */
#ifndef FTC_NATIVE_H
#define FTC_NATIVE_H

#include "call.h"

/* The peer of a call that needs all members of its communicator. */
enum { FTC_ALL_MEMBERS = MPI_ANY_SOURCE };

/* Switches marking on; 0 or a negative errno. */
int ftc_native_open(void);

/* @peer is a rank of @comm or FTC_ALL_MEMBERS; of an intercommunicator, of its remote group.
 * MPI_PROC_NULL needs nobody. An invalid communicator leaves no mark. */
void ftc_native_enter(enum ftc_call_kind kind, MPI_Comm comm, int peer, const void *return_address);
void ftc_native_leave(void);

/* A call of native MPI, marked while it lasts; its value is the call's. */
#define FTC_NATIVE_CALL(kind, comm, peer, return_address, pmpi_call)                               \
    (ftc_native_enter(kind, comm, peer, return_address), ftc_native_leave_with(pmpi_call))

static inline int ftc_native_leave_with(int rv)
{
    ftc_native_leave();
    return rv;
}

#endif
