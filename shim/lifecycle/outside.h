/* outside: jobs that the library does not protect, and the lines that report this. Nothing is
 * printed if setting enable is off. A job prints a line only once if the launcher gives the ranks
 * numbers. */
#ifndef FTC_LIFECYCLE_OUTSIDE_H
#define FTC_LIFECYCLE_OUTSIDE_H

#include "system/loaded.h"

/* Reports that the program's MPI library, @object, has another ABI than MPICH's. */
void ftc_outside_say_other_mpi(const struct ftc_loaded *object);

/* Reports that the program uses sessions, unless it has called MPI_Init as well. */
void ftc_outside_say_sessions(void);

/* Reports the likely reason why MPI says that this process is alone. If a launcher has started
 * several processes, it does not fit the program's MPI library. If `ftcoll run` has started the
 * process, the launcher was forgotten. */
void ftc_outside_look_at_singleton(void);

#endif
