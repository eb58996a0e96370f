/* create: new communicators after a failure (settings communicators = survivors and places).
 *
 * MPICH makes a communicator together with all ranks of the old one, so a dead rank blocks it
 * forever. Only MPI_Comm_create_group needs no ranks but the members of the new one. A call
 * therefore has three steps:
 *
 * 1. The survivors agree which ranks are dead, by an operation of the library.
 * 2. If no rank is dead, native MPI carries out the call unchanged. Otherwise
 *    MPI_Comm_create_group makes a communicator of the survivors, and a call that makes a
 *    topology gives it that topology (topology_remap.h). MPI_Intercomm_create always works in
 *    this way, once the groups know each other (leaders.h). With communicators = survivors,
 *    MPI_File_open on a copy (MPI_Comm_dup) returns an error instead, once for each death.
 * 3. The survivors agree whether all have completed step 2. A rank that would wait there for a
 *    rank that has died since step 1 ends or abandons that call (abandonable.h). All then begin
 *    again. */
#ifndef FTC_NEW_COMMUNICATORS_CREATE_H
#define FTC_NEW_COMMUNICATORS_CREATE_H

#include "creation.h"

/* Makes spares of MPI_COMM_WORLD for copies after a death, with communicators = places. Called at
 * the end of MPI_Init. */
void ftc_new_communicators_start(void);

/* Returns whether the setting is in force: the library is active and not paused (MPI_Pcontrol), and
 * communicators is not native. */
bool ftc_new_communicators_are_on(void);

/* Makes the communicator and leaves the return code in @x->result. Returns false if native MPI has
 * to do that: without the setting, with arguments that native MPI rejects, or on a communicator
 * that is not protected. */
bool ftc_new_communicator_create(struct ftc_creation *x);

/* Makes the communicator as above, for a call that must not wait for others (MPI_Comm_idup). Also
 * returns false unless all members have learnt, by an operation on the communicator, that one of
 * them is dead. The call is then native, and on_blocked reports a death during it. */
bool ftc_new_communicator_create_if_dead(struct ftc_creation *x);

/* Frees *@comm by @native, for MPI_Comm_free() and MPI_Comm_disconnect() called from
 * @return_address. May keep it as a spare, or in MPICH, instead. Returns an MPI error code. */
int ftc_new_communicator_free(MPI_Comm *comm, int (*native)(MPI_Comm *comm),
                              const void *return_address);

#endif
