/* mismatch: ranks that call different collective operations on one communicator at the same time,
 * which MPI forbids and natively gives a hang or a wrong result.
 *
 * A rank notices when a message carries another signature than its own call has, also a late one,
 * of an operation that is over here, or, when it has waited for a while, by what the board says of
 * the others' calls (two ranks that both take themselves for the root of a reduce send each other
 * nothing; one that takes a third for it sends to that one, and waits for nobody). Either way it
 * has a note of the other's call at once (mismatched and other in c->running): the other may be in
 * its next call already.
 *
 * A rank that notices sends both calls to all others, so that no rank is left waiting: one of the
 * two is not what that rank called itself.
 *
 * Two mismatches show on the board alone. In a reduce a rank that is not the root sends what is
 * awaited from it and goes on. One that names another root, or calls something else, may send to
 * others only: the ranks that receive that need not be waiting, and the board shows the rank's call
 * for a while only (FTC_BOARD_ENTRY_CALLS). What stays is that it has begun a later operation of
 * the communicator, which it does when all of its messages are in the rings, and that this rank
 * waits for one that is in none.
 *
 * And some ranks may carry out here what others carry out in native MPI: the arguments differ in
 * what decides about that (too large, not commutative). Such a call never ends, and looks like a
 * native call that lasts long on some ranks, for which the others wait in their next operation. So
 * it takes blocked_ms, and is a matter of setting on_blocked. */
#ifndef FTC_PROGRESS_MISMATCH_H
#define FTC_PROGRESS_MISMATCH_H

#include "call/call.h"
#include "communicator/communicator.h"
#include "system/stopwatch.h"

/* Notes what this rank calls: in @c, which sends it along, and shows it on the board when it has
 * begun (loop.h). To be called before the operation begins, with the library's lock held, as all
 * of these. */
void ftc_mismatch_enter(const struct ftc_call *call, struct ftc_comm *c, uint32_t signature);
void ftc_mismatch_enter_with_data(const struct ftc_call *call, struct ftc_comm *c,
                                  uint32_t signature, size_t element_bytes, size_t value_bytes);
void ftc_mismatch_leave(void);

/* A message of the operation that @c is in came from the user's rank @from with another @signature:
 * of @from's own call, of which it has the @note, or to tell of a mismatch. */
void ftc_mismatch_meet(struct ftc_comm *c, int from, uint32_t signature,
                       const struct ftc_note *note, const struct ftc_message *m,
                       size_t value_bytes);

/* A message of operation @seq of @c, which is over here, came from @from, with the @note of its
 * call and its @signature. A mismatch is reported in the operation that @c is in, or in the next
 * one. */
void ftc_mismatch_meet_late(struct ftc_comm *c, int from, uint32_t seq, uint32_t signature,
                            const struct ftc_note *note);

/* The operation on @c has begun: what has come to light since the last one. */
void ftc_mismatch_begin(struct ftc_comm *c);

/* Takes in what has come from world rank @world (messages.h). */
typedef bool ftc_mismatch_take(uint32_t world);

/* Looks whether the board shows another call of a member in the operation that @c is in, which may
 * be over there, or a member that has gone on to a later one without a part in this reduce. Looks
 * at FTC_COMM_LOOKS members, and at others in the next call. */
bool ftc_mismatch_find(struct ftc_comm *c, ftc_mismatch_take *take_from);

/* One per operation, zero at the start. */
struct ftc_mismatch_native {
    struct ftc_stopwatch stopwatch;
    uint64_t since_ns; /* seen like that since then, by the looks; 0: not seen */
    uint64_t versions; /* of the members' calls, added up */
    bool was_told;
};

/* To be called while the rank waits in the operation of @c. Once all other members have been in it
 * or in native collective calls of the same members for blocked_ms, and none of this has changed,
 * the lowest rank that waits here prints a warning (on_blocked = warn, or abort by default), or
 * takes a rank in a native call for one with another call (abort that the user has set). */
void ftc_mismatch_look_at_native(struct ftc_mismatch_native *mixed, struct ftc_comm *c);

/* Tells all other members of @c's operation: once, whatever else comes late of it and of those
 * before. */
void ftc_mismatch_spread(struct ftc_comm *c);

/* One line: which rank called what, and where, such as "rank 1 called MPI_Reduce(count 1, MPI_INT,
 * MPI_SUM, root 0) at prog(main+0x12)". Also after the operation. */
void ftc_mismatch_describe(const struct ftc_comm *c, char *text, size_t size);

#endif
