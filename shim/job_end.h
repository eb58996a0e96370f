/* job_end: functions by which the library ends the whole job, always with a message. */
#ifndef FTC_JOB_END_H
#define FTC_JOB_END_H

#include "mpi/mpi_library.h"

#include <stdbool.h>

/* Gets the report of the job written, if a rank has failed. From then on the end of this rank does
 * not count as a death. To be called before PMPI_Abort(). */
void ftc_job_end_prepare(void);

/* Prints @text, the reason why the job ends, and waits until the launcher has read it, for five
 * seconds at most. */
void ftc_job_end_say_last_words(const char *text);

/* Prints @text and ends the job by PMPI_Abort() with @status. The end of this rank does not count
 * as a death. Does not return. */
void ftc_job_end(MPI_Comm comm, int status, const char *text);

/* Ends the job as above, because there is no memory for @what. */
void ftc_job_end_no_memory(const char *what);

/* Returns the communicator to pass to PMPI_Abort() in place of @comm: MPI_COMM_WORLD once a rank is
 * dead. For other communicators MPICH sends a message to each member, and waits forever for a dead
 * member to receive it. */
MPI_Comm ftc_job_end_comm(MPI_Comm comm);

/* Waits while a monitor process ends the job, for five seconds at most. The launcher then kills one
 * rank after the other, and none of them has failed. With @is_due the function waits even if no
 * process has claimed the end of the job yet: the job was aborted, or a setting forbids a death. */
void ftc_job_end_await(bool is_due);

#endif
