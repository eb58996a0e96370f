/* ftcoll.h: what a program may ask ftcoll, if it is loaded.
 *
 * No program needs this: preloading libftcoll.so is enough. All symbols are weak, so that a program
 * that uses them also runs without the library; it asks first:
 *
 *     if (ftcoll_version && ftcoll_failed_ranks(comm, 16, ranks) > 0) ...
 */
#ifndef FTCOLL_H
#define FTCOLL_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FTCOLL_VERSION "0.1.0"

/* Version of the library that is loaded, as "major.minor.patch". */
__attribute__((weak)) const char *ftcoll_version(void);

/* Failed ranks of an intracommunicator that this process knows of, in ascending order by rank in
 * @comm: at most @max are written to @ranks, all are counted. Local: different processes can know
 * different ranks, until an allreduce on @comm has told all the same. Returns the count, 0 if the
 * library does not protect
 * @comm, or -1 for an invalid argument. */
__attribute__((weak)) int ftcoll_failed_ranks(MPI_Comm comm, int max, int ranks[]);

/* Ranks of @comm whose data are in the result of the last MPI_Allreduce or MPI_Reduce on it that
 * this process has completed and the library has carried out with setting large, in ascending
 * order: at most @max are written to @ranks, all are counted. All survivors of that call are told
 * the same. So the mean of a gradient that the living and some of the dead have given is its sum
 * divided by this. Returns the count; 0 if the library has carried out no such call, because the
 * data were small, for instance; or -1 for an invalid argument. Like a call on @comm, it is not to
 * be made while another thread is in one. */
__attribute__((weak)) int ftcoll_contributors(MPI_Comm comm, int max, int ranks[]);

/* What this process has done since MPI_Init. */
struct ftcoll_counters {
    unsigned long long protected_calls; /* carried out by the library */
    unsigned long long native_calls;    /* intercepted, but passed on to native MPI */
    unsigned long long messages;        /* sent for protected calls */
    unsigned long long failures;        /* dead processes of the job that it knows of */
};

/* Returns 0, or -1 when the library is not active: not between MPI_Init and MPI_Finalize, or
 * switched off. */
__attribute__((weak)) int ftcoll_get_counters(struct ftcoll_counters *counters);

#ifdef __cplusplus
}
#endif

#endif
