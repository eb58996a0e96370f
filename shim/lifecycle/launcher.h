/* launcher: facts about the launcher of this process, from its environment and its MPI library. */
#ifndef FTC_LIFECYCLE_LAUNCHER_H
#define FTC_LIFECYCLE_LAUNCHER_H

#include "monitor/pmi_wire.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns the form in which the program's MPI library speaks to a launcher over PMI_FD: PMI-2 if it
 * was built for that, uses Slurm's libpmi2, or MPIR_CVAR_PMI_VERSION asks for it; else PMI-1. May
 * be called before MPI_Init. */
enum ftc_pmi_wire ftc_launcher_wire(void);

/* Returns whether the launcher has started ranks on other hosts, too, according to the environment
 * of Hydra's or Slurm's ranks. May be called before MPI_Init. */
bool ftc_launcher_has_other_hosts(void);

/* Writes why the library does not know this launcher, and what would help, as the end of a message.
 * Names the variables of launchers that are set. */
void ftc_launcher_describe_unknown(char *text, size_t size);

#endif
