/* crash: fault injection by setting crash (FTCOLL_CRASH). A rank kills itself with SIGKILL at an
 * exact point of the protocol, so a failure can be repeated. It serves the tests of this library
 * and users who want to see how their program reacts to a failure (ftcoll rehearse).
 *
 *     crash = RANK:[SITE:]OPERATION:POINT[,...]
 *
 * RANK is a rank of MPI_COMM_WORLD. OPERATION counts, from 0, the operations that this rank has
 * begun to carry out with the library. SITE is a function or call site as in require_all_at. With
 * SITE, OPERATION counts the calls of this rank at that site, including calls that native MPI
 * carries out. Calls of native MPI have the point a0 alone. The other points are those of the
 * operation that begins next.
 *
 * POINT is one of:
 *
 *     bN   before the Nth send of the operation
 *     aN   after the Nth send; a0: when the operation starts
 *     dN   when N percent of its data phase are done, 0 to 100; only if it has a data phase
 *     end  when the operation has its result, before another rank can see the result
 *
 * If the operation has fewer sends than N, the rank lives on. */
#ifndef FTC_PROGRESS_CRASH_H
#define FTC_PROGRESS_CRASH_H

#include <stdbool.h>
#include <stdint.h>

/* Reads from @text the points of @rank and arms them. Returns false if @text is not of the form
 * above. @text has at most 255 characters (struct ftc_settings). */
bool ftc_crash_parse(const char *text, int rank);

/* Text of the error that ftc_crash_parse() has found. */
#define FTC_CRASH_REFUSED                                                                          \
    "crash is not understood; allowed: RANK:OPERATION:POINT, or RANK:SITE:OPERATION:POINT, with "  \
    "commas between them, POINT being bN (before the Nth send), aN (after it), dN (when N "        \
    "percent of the data phase are "                                                               \
    "done)"                                                                                        \
    " or end"

/* Returns the highest rank that @text names; -1 if it names none. @text must be of the form
 * above. */
int ftc_crash_highest_rank(const char *text);

/* True if this rank has points. The functions below are to be called only then. */
extern bool ftc_crash_armed;

/* Returns the points of this rank that have a SITE and for which @names(SITE, @text) is not 0. Bit
 * i stands for point i. */
uint64_t ftc_crash_points_at(const char *text,
                             uint64_t (*names)(const char *site, const char *text));

/* Counts a call of this rank at the site of @points, before the call is carried out. Kills the rank
 * if one of them is point a0 of this call. Its other points for this call are those of the next
 * operation. */
void ftc_crash_at_call(uint64_t points);

/* Progress of one operation: its number among those of this rank, and the sends so far. */
struct ftc_crash_progress {
    long operation, sends;
};

/* Starts counting for a new operation in @p. Like the functions below, kills the rank if it has a
 * point here. */
void ftc_crash_at_start(struct ftc_crash_progress *p);
void ftc_crash_before_send(const struct ftc_crash_progress *p);
void ftc_crash_after_send(struct ftc_crash_progress *p);

/* Checks for points when @done of @all parts of the data phase are done. */
void ftc_crash_in_data(const struct ftc_crash_progress *p, uint64_t done, uint64_t all);
void ftc_crash_at_end(const struct ftc_crash_progress *p);

#endif
