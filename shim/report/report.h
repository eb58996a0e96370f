/* report: what the library did, told once, by the surviving rank with the lowest number.
 *
 * Everything in it is on the board or in this process: writing it waits for nobody. What is on the
 * boards of other hosts is fetched before (sites_elsewhere.h). */
#ifndef FTC_REPORT_REPORT_H
#define FTC_REPORT_REPORT_H

#include "call/call.h"
#include "communicator/communicator.h"

/* In MPI_Init, once there is a board: rank 0 says so if report_file cannot be written. */
void ftc_report_open(void);

/* The call that this thread is about to carry out here or pass on. */
void ftc_report_call(const struct ftc_call *call, enum ftc_pass pass);

/* Calls of this rank so far: carried out here, and passed on. */
void ftc_report_count(unsigned long long *carried_out, unsigned long long *passed);

/* Writes the report, as the setting says; called by every survivor in MPI_Finalize. */
void ftc_report_write(void);

#endif
