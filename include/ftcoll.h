/* ftcoll.h: functions that a program may call to ask ftcoll about dead ranks.
 *
 * No program needs them: preloading libftcoll.so is enough. All symbols are weak, so a program that
 * uses them also runs without the library. Check first that it is loaded:
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

/* Returns the version of the library that is loaded, as "major.minor.patch". */
__attribute__((weak)) const char *ftcoll_version(void);

/* Writes to @ranks the failed ranks of @comm that the calling process knows of: at most @max, as
 * ranks in @comm, in ascending order. For an intercommunicator these are ranks of the local group.
 * Returns how many failed ranks the process knows of, which may be more than @max. Returns 0 if the
 * library is not active, or -1 for an invalid argument. The call is local: different processes can
 * know different ranks, until an allreduce on @comm. */
__attribute__((weak)) int ftcoll_failed_ranks(MPI_Comm comm, int max, int ranks[]);

/* Writes to @ranks the ranks of @comm that contributed to the result of a large reduction: at most
 * @max, in ascending order. The reduction is the last large MPI_Allreduce or MPI_Reduce on @comm
 * that the calling process has completed. A reduction is large if the setting large protects it: it
 * has more than max_bytes bytes, or an operation that is not commutative. All survivors of that
 * call get the same ranks. Returns how many ranks contributed, 0 if there was no such call, or -1
 * for an invalid argument. The mean of the contributions is the sum divided by this number. No
 * other thread may be in a call on @comm meanwhile, as with a collective call. */
__attribute__((weak)) int ftcoll_contributors(MPI_Comm comm, int max, int ranks[]);

/* Counters of the calling process since MPI_Init. */
struct ftcoll_counters {
    unsigned long long protected_calls; /* calls that the library carried out */
    unsigned long long native_calls;    /* intercepted calls that were passed on to native MPI */
    unsigned long long messages;        /* messages sent for protected calls */
    unsigned long long failures;        /* dead processes of the job that this process knows of */
};

/* Fills @counters. Returns 0, or -1 if @counters is NULL or the library is not active: before
 * MPI_Init, after MPI_Finalize, or switched off. */
__attribute__((weak)) int ftcoll_get_counters(struct ftcoll_counters *counters);

#ifdef __cplusplus
}
#endif

#endif
