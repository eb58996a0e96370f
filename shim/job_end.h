/* job_end: the ways in which the library ends the whole job, all of them with words. */
#ifndef FTC_JOB_END_H
#define FTC_JOB_END_H

#include "mpi/mpi_library.h"

#include <stdbool.h>

/* This rank is about to end the whole job, as by MPI_Abort: that is no death of its own, and what
 * there is to report is reported now. */
void ftc_job_end_prepare(void);

/* Says why the job ends, and gives the launcher the time to read it. */
void ftc_job_end_say_last_words(const char *text);

/* Says @text, and ends the job by MPI_Abort with @status; this rank's end is no death then. Does
 * not return. */
void ftc_job_end(MPI_Comm comm, int status, const char *text);

/* The same, for want of memory for @what. */
void ftc_job_end_no_memory(const char *what);

/* The communicator to give to PMPI_Abort() in place of @comm. Once a rank is dead that is
 * MPI_COMM_WORLD: of another communicator MPICH tells all members, and waits for ever until a dead
 * one has taken it. */
MPI_Comm ftc_job_end_comm(MPI_Comm comm);

/* While a monitor process ends the job the launcher kills one rank after the other, and none of
 * these has failed: waits for that for at most five seconds. @is_due: the job will be ended even if
 * nobody has said so yet, because a death has come that a setting forbids, or by an abort. */
void ftc_job_end_await(bool is_due);

#endif
