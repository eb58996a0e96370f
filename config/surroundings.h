/* surroundings: what `ftcoll info` finds by looking, as JSON that the caller owns. */
#ifndef FTC_CONFIG_SURROUNDINGS_H
#define FTC_CONFIG_SURROUNDINGS_H

#include <jansson.h>

/* The library of MPICH's ABI that the dynamic linker finds, or that lies beside the launcher: its
 * "path", what it calls itself ("version", "device"), and the function that it lacks ("lacks").
 * null if there is none. It is opened for that. */
json_t *ftc_surroundings_mpi(void);

/* Those in PATH: "name", "path", what they call themselves ("version"), and whether jobs that they
 * start are protected ("serves"), with what is to be said of that ("because"). They are asked. */
json_t *ftc_surroundings_launchers(void);

/* The variables that tell of a job, a launcher or a preloaded library, as far as they are set. */
json_t *ftc_surroundings_environment(void);

#endif
