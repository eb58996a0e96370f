/* survivors: new communicators after a failure (setting communicators = survivors).
 *
 * MPICH makes a communicator together with all ranks of the old one, so a dead one hangs it for
 * ever. Only MPI_Comm_create_group needs nobody but the members of the new one. So the survivors
 * first agree on who is dead, by an operation of the library's own; if nobody is, native MPI
 * carries the call out as always, else MPI_Comm_create_group makes a communicator of the survivors.
 *
 * A rank that dies between the agreement and the end of the native part can still hang the others
 * in it: the call is marked on the board (native.h), as all native calls are.
 */
#ifndef FTC_SURVIVORS_H
#define FTC_SURVIVORS_H

#include "call.h"

/* One of the calls that make an intracommunicator, with the arguments that it has. */
struct ftc_creation {
    enum ftc_call_kind kind; /* COMM_DUP ... COMM_SPLIT_TYPE */
    MPI_Comm comm;
    MPI_Comm *newcomm;
    MPI_Group group; /* COMM_CREATE, COMM_CREATE_GROUP */
    int tag;         /* COMM_CREATE_GROUP */
    int color, key;  /* COMM_SPLIT, COMM_SPLIT_TYPE: only the key */
    int type;        /* COMM_SPLIT_TYPE */
    MPI_Info info;   /* COMM_DUP_WITH_INFO */
    const void *return_address;
    int result; /* MPI error code, if the call was carried out here */
};

/* Makes the communicator if a rank that native MPI would wait for is dead, and leaves the return
 * code in @x->result. Returns false if native MPI is to do it. */
bool ftc_survivors_create(struct ftc_creation *x);

#endif
