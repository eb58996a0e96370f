/* report: what the library did, told once, by the surviving rank with the lowest number.
 *
 * Everything in it is on the board or in this process: writing it waits for nobody. */
#ifndef FTC_REPORT_H
#define FTC_REPORT_H

#include "call/call.h"
#include "communicator/communicator.h"

/* 0 or -ENOMEM. */
int ftc_report_open(void);

/* The call that this thread is about to carry out here or pass on. */
void ftc_report_call(const struct ftc_call *call, enum ftc_pass pass);

/* A thread that looks after operations of other calls than the one it is in says so meanwhile. */
struct ftc_report_site {
    enum ftc_call_kind call;
    const void *return_address;
};
struct ftc_report_site ftc_report_where(void);
void ftc_report_enter(const struct ftc_call *call);
void ftc_report_return(struct ftc_report_site site);

/* The running operation on @c has met the death of the rank in @slot. */
void ftc_report_noticed(const struct ftc_comm *c, uint32_t slot);

/* The running operation on @c is done: deaths it met have been recovered from. */
void ftc_report_recovered(const struct ftc_comm *c);

/* Calls of this rank so far: carried out here, and passed on. */
void ftc_report_count(unsigned long long *carried_out, unsigned long long *passed);

/* Writes the report, as the setting says; called by every survivor in MPI_Finalize. */
void ftc_report_write(void);

/* "killed by signal 9 (Killed)" for the death of the rank in @slot. */
void ftc_report_death(uint32_t slot, char *text, size_t size);

#endif
