/* output: what a rank got, in a file of its own, so that a native run and one with ftcoll can be
 * compared byte by byte.
 *
 * Only what MPI defines goes there: no times, addresses, handles or padding. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <mpi.h>
#include <stddef.h>

/* Starts MPI for a program that was called as "program DIRECTORY ...", and opens DIRECTORY/rank.R.
 * Errors return. */
void output_init(int argc, char **argv, int *rank, int *n);

/* Opens @directory/@kind.@number for the calling thread. */
void output_open(const char *directory, const char *kind, int number);
void output_close(void);

/* One line each. */
void output_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* How call @what ended: the class of error @rv, or the @size bytes at @result: short ones as they
 * are, long ones as a digest. */
void output_result(const char *what, int rv, const void *result, size_t size);

/* Fills @count statuses before a call with a byte that is another in each run (variable
 * TEST_PATTERN): whoever shows what the call did not write fails. */
void output_blank(MPI_Status *status, int count);

/* The name of the class of error code @rv. */
const char *output_class(int rv);

#endif
