/* crash: fault injection, by setting crash (FTCOLL_CRASH). A rank kills itself with SIGKILL at an
 * exact point of the protocol, so that a death can be repeated. For tests of this library, and for
 * people who want to see how their program takes a death.
 *
 *     crash = RANK:OPERATION:POINT[,...]
 *
 * RANK is a rank of MPI_COMM_WORLD, OPERATION counts the operations that this rank has begun to
 * carry out with the library, from 0. POINT is bN: before its Nth send in that operation; aN: after
 * it (a0: when it starts); dN: when N percent of its data phase are done, 0 to 100, if it has one;
 * end: when it has its result, before anybody can see it. Sends that an operation does not have are
 * not waited for: the rank lives.
 */
#ifndef FTC_PROGRESS_CRASH_H
#define FTC_PROGRESS_CRASH_H

#include <stdbool.h>
#include <stdint.h>

/* Takes what @text says about @rank; false if it is not of the form above. */
bool ftc_crash_parse(const char *text, int rank);

/* What people are told then. */
#define FTC_CRASH_REFUSED                                                                          \
    "crash is not understood; allowed: RANK:OPERATION:POINT with commas between them, POINT "      \
    "being bN (before the Nth send), aN (after it), dN (when N percent of the data phase are "     \
    "done)"                                                                                        \
    " or end"

/* True if this rank is to die: the functions below are to be called only then. */
extern bool ftc_crash_armed;

/* How far one operation is. */
struct ftc_crash_progress {
    long operation, sends;
};

void ftc_crash_at_start(struct ftc_crash_progress *p);
void ftc_crash_before_send(const struct ftc_crash_progress *p);
void ftc_crash_after_send(struct ftc_crash_progress *p);
/* @done of @all parts of the data phase. */
void ftc_crash_in_data(const struct ftc_crash_progress *p, uint64_t done, uint64_t all);
void ftc_crash_at_end(const struct ftc_crash_progress *p);

#endif
