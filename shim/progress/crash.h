/* crash: fault injection, by setting crash (FTCOLL_CRASH). A rank kills itself with SIGKILL at an
 * exact point of the protocol, so that a death can be repeated. For tests of this library, and for
 * people who want to see how their program takes a death (ftcoll rehearse).
 *
 *     crash = RANK:[SITE:]OPERATION:POINT[,...]
 *
 * RANK is a rank of MPI_COMM_WORLD, OPERATION counts the operations that this rank has begun to
 * carry out with the library, from 0. With SITE, a function or call site as in require_all_at, it
 * counts the calls of this rank there, also those of native MPI, which have the point a0 alone. The
 * other points are then those of the operation that begins next. POINT is bN: before its Nth send
 * in that operation; aN: after it (a0: when it starts); dN: when N percent of its data phase are
 * done, 0 to 100, if it has one; end: when it has its result, before anybody can see it. Sends that
 * an operation does not have are not waited for: the rank lives.
 */
#ifndef FTC_PROGRESS_CRASH_H
#define FTC_PROGRESS_CRASH_H

#include <stdbool.h>
#include <stdint.h>

/* Takes what @text says about @rank; false if it is not of the form above. */
bool ftc_crash_parse(const char *text, int rank);

/* The message for that. */
#define FTC_CRASH_REFUSED                                                                          \
    "crash is not understood; allowed: RANK:OPERATION:POINT, or RANK:SITE:OPERATION:POINT, with "  \
    "commas between them, POINT being bN (before the Nth send), aN (after it), dN (when N "        \
    "percent of the data phase are "                                                               \
    "done)"                                                                                        \
    " or end"

/* Returns the highest rank that @text, which is of that form, names; -1 for none. */
int ftc_crash_highest_rank(const char *text);

/* True if this rank is to die: the functions below are to be called only then. */
extern bool ftc_crash_armed;

/* Points of this rank that have a SITE: bit i is set if @names(SITE, @text) is true for point i. */
uint32_t ftc_crash_points_at(const char *text,
                             uint64_t (*names)(const char *site, const char *text));

/* Counts a call of this rank at the site of @points, before it is carried out. */
void ftc_crash_at_call(uint32_t points);

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
