/* past: functions of MPI past the library, which stands before MPI_X and PMPI_X. */
#ifndef BENCH_PAST_H
#define BENCH_PAST_H

/* Stores the address of function @name of the MPI library itself, such as "PMPI_Send", in the
 * function pointer @function; ends the program if it has none. */
void past_library(const char *name, void *function);

#endif
