/* native_part: native MPI makes a communicator, of all or of the survivors, and comes back when it
 * would wait for a dead one for ever (abandonable.h). */
#ifndef FTC_NEW_COMMUNICATORS_NATIVE_PART_H
#define FTC_NEW_COMMUNICATORS_NATIVE_PART_H

#include "creation.h"
#include "participants.h"

/* Makes what @x is for: of @members alone, or with MPI_GROUP_NULL, when nobody is dead, by the call
 * itself. A rank that is none of the members gets nothing. Once @participants is agreed on; @rv is
 * an MPI error code. What @x has to give a communicator beside its members it gets here. All take a
 * spare (communicator/spares.h) for a copy, if there is one. */
enum ftc_native_end ftc_native_part(const struct ftc_creation *x,
                                    struct ftc_participants *participants, MPI_Group members,
                                    int *rv);

/* After that, if not all have come through: messages of it may still be under way. */
void ftc_native_part_abandon(const struct ftc_creation *x, MPI_Group members);

#endif
