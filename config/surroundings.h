/* surroundings: MPI, launchers and environment variables that `ftcoll info` finds, as JSON that the
 * caller owns. */
#ifndef FTC_CONFIG_SURROUNDINGS_H
#define FTC_CONFIG_SURROUNDINGS_H

#include <jansson.h>

/* Returns the MPI library with MPICH's ABI that the dynamic linker finds, else the one that is
 * installed beside mpiexec.hydra: its "path", its own description ("version", "device"), and a
 * needed function that it lacks ("lacks"). Returns JSON's null if there is none. Loads the library
 * into this process. */
json_t *ftc_surroundings_mpi(void);

/* Returns the launchers in PATH: "name", "path", the output of --version ("version"), whether jobs
 * that they start are protected ("serves"), and a remark on that ("because"). Executes each
 * launcher with --version. */
json_t *ftc_surroundings_launchers(void);

/* Returns the environment variables of a job, a launcher or a preloaded library, as far as they are
 * set. */
json_t *ftc_surroundings_environment(void);

#endif
