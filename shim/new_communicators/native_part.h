/* native_part: native MPI makes a communicator, of all or of the survivors, and comes back when it
 * would wait for a dead one for ever (abandonable.h). */
#ifndef FTC_NEW_COMMUNICATORS_NATIVE_PART_H
#define FTC_NEW_COMMUNICATORS_NATIVE_PART_H

#include "creation.h"
#include "participants.h"

/* Makes the communicator of @x, once @participants is agreed on: of @members alone, or by the call
 * itself if no rank is dead, with MPI_GROUP_NULL. A rank that is not a member gets none. The
 * communicator inherits here whatever @x passes on. For a copy all ranks take a spare
 * (communicator/spares.h), if there is one. @rv is an MPI error code. */
enum ftc_native_end ftc_native_part(const struct ftc_creation *x,
                                    struct ftc_participants *participants, MPI_Group members,
                                    int *rv);

/* After that, if not all have come through: messages of it may still be under way. */
void ftc_native_part_abandon(const struct ftc_creation *x, MPI_Group members);

#endif
