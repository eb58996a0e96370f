/* create: new communicators after a failure (settings communicators = survivors and places).
 *
 * MPICH makes a communicator together with all ranks of the old one, so a dead one hangs it for
 * ever. Only MPI_Comm_create_group needs nobody but the members of the new one. So:
 *
 * 1. The survivors agree on who is dead, by an operation of the library's own.
 * 2. If nobody is, native MPI carries the call out as it is, else MPI_Comm_create_group makes a
 *    communicator of the survivors, and a call that makes a topology gives it that
 * (topology_remap.h). MPI_Intercomm_create is always made so, once the groups know each other
 * (leaders.h). MPI_File_open on a copy (MPI_Comm_dup) returns an error instead, once for each
 * death.
 * 3. They agree whether all have come through. A rank that would wait in 2 for somebody who has
 *    died since 1 ends or leaves that call (abandonable.h); then all begin again.
 */
#ifndef FTC_NEW_COMMUNICATORS_CREATE_H
#define FTC_NEW_COMMUNICATORS_CREATE_H

#include "creation.h"

/* In MPI_Init, at last: spares of MPI_COMM_WORLD, for copies that are made after a death. */
void ftc_new_communicators_start(void);

/* Whether the setting is in force. */
bool ftc_new_communicators_are_on(void);

/* Makes the communicator and leaves the return code in @x->result. Returns false if native MPI is
 * to do it: without the setting, and with arguments that it rejects. */
bool ftc_new_communicator_create(struct ftc_creation *x);

/* The same for a call that must not wait for others (MPI_Comm_idup): also false unless all members
 * have learnt by an operation on the communicator that one of them is dead. Otherwise it is native,
 * and on_blocked tells of a death in it. */
bool ftc_new_communicator_create_if_dead(struct ftc_creation *x);

/* MPI_Comm_free() and MPI_Comm_disconnect(), called from @return_address: frees *@comm by @native.
 */
int ftc_new_communicator_free(MPI_Comm *comm, int (*native)(MPI_Comm *comm),
                              const void *return_address);

#endif
