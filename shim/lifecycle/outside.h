/* outside: jobs that the library stays out of, and how people are told. Nothing is said if setting
 * enable is off, and only once a job where the launcher tells the ranks apart. */
#ifndef FTC_LIFECYCLE_OUTSIDE_H
#define FTC_LIFECYCLE_OUTSIDE_H

#include "system/loaded.h"

/* The program's MPI library, @object, has another ABI than MPICH's. */
void ftc_outside_say_other_mpi(const struct ftc_loaded *object);

/* The program uses sessions; nothing is said if it has called MPI_Init as well. */
void ftc_outside_say_sessions(void);

/* Called by a program whose MPI says that it is alone: if a launcher has started several of it,
 * it is one that does not go with the program's MPI library; if `ftcoll run` has started it, the
 * launcher was forgotten. */
void ftc_outside_look_at_singleton(void);

#endif
