/* launcher: who has started this process, as far as its environment and its MPI library tell. */
#ifndef FTC_LIFECYCLE_LAUNCHER_H
#define FTC_LIFECYCLE_LAUNCHER_H

#include "monitor/pmi_wire.h"

#include <stdbool.h>
#include <stddef.h>

/* The form in which the program's MPI library speaks to a launcher over PMI_FD: PMI-2 where it was
 * built for that, uses Slurm's libpmi2, or is told so by MPIR_CVAR_PMI_VERSION; else PMI-1. May be
 * asked before MPI_Init. */
enum ftc_pmi_wire ftc_launcher_wire(void);

/* Whether it has started ranks on other hosts, too, as far as the environment of Hydra's or Slurm's
 * ranks tells. May be asked before MPI_Init. */
bool ftc_launcher_has_other_hosts(void);

/* Why this launcher is none that the library knows, and what would help, as the end of a message:
 * names the variables of launchers that are set. */
void ftc_launcher_describe_unknown(char *text, size_t size);

#endif
