/* native_part: the part of a call in which native MPI makes a communicator, of all ranks or of the
 * survivors. It returns even if it would wait for a dead rank forever (abandonable.h). */
#ifndef FTC_NEW_COMMUNICATORS_NATIVE_PART_H
#define FTC_NEW_COMMUNICATORS_NATIVE_PART_H

#include "creation.h"
#include "participants.h"

/* Makes the communicator of @x, after the survivors have agreed on @participants. It is made of
 * @members alone, or by the call itself if @members is MPI_GROUP_NULL because no rank is dead. A
 * rank that is not a member gets none. The communicator inherits what calls like @x pass on. For a
 * copy after a death all ranks take a spare (communicator/spares.h), if there is one. Sets *@rv to
 * an MPI error code, if this rank makes a communicator. */
enum ftc_native_end ftc_native_part(const struct ftc_creation *x,
                                    struct ftc_participants *participants, MPI_Group members,
                                    int *rv);

/* Notes that not all ranks have completed the native part, so that its messages may still be under
 * way. Called after ftc_native_part(). */
void ftc_native_part_abandon(const struct ftc_creation *x, MPI_Group members);

#endif
