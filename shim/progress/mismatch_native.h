/* mismatch_native: a collective operation that some ranks carry out here and others in native MPI,
 * which can never end: the arguments differ in what decides about that (too large, not
 * commutative).
 *
 * From outside it looks like a native call that merely lasts long on some ranks, for which the
 * others wait in their next operation. So it takes blocked_ms, and is a matter of setting
 * on_blocked. */
#ifndef FTC_PROGRESS_MISMATCH_NATIVE_H
#define FTC_PROGRESS_MISMATCH_NATIVE_H

#include "communicator/communicator.h"
#include "system/looks.h"

/* One per operation, zero at the start. */
struct ftc_mismatch_native {
    struct ftc_looks looks;
    uint64_t since_ns; /* seen like that since then, by the looks; 0: not seen */
    uint64_t versions; /* of the members' calls, added up */
    bool was_told;
};

/* To be called while the rank waits in the operation of @c. Once all other members have sat in it
 * or in native collective calls of the same members for blocked_ms, and none of this has changed,
 * the lowest of those that wait here says so (on_blocked = warn, or abort by default), or takes a
 * rank that is in a native call for one that called something else (abort that the user has set).
 */
void ftc_mismatch_native_look(struct ftc_mismatch_native *mixed, struct ftc_comm *c);

#endif
