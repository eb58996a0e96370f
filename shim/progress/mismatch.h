/* mismatch: ranks that call different collective operations on one communicator at the same time.
 * MPI forbids that. Natively it gives a hang or a wrong result.
 *
 * A rank notices a mismatch in one of two ways. A message, perhaps a late one of an operation that
 * is over here, carries another signature than the rank's own call. Or the rank has waited for a
 * while and the board shows another call of a member. The second way is needed because two ranks
 * that both take themselves for the root of a reduce send each other nothing, and one that names a
 * third rank as root sends to that rank and waits for none. Either way the rank gets a note of the
 * other call at once (mismatched and other in c->running), because the other rank may be in its
 * next call already.
 *
 * A rank that notices sends both calls to all other members, so that no rank is left waiting. At
 * least one of the two calls differs from what the receiver itself called.
 *
 * Two kinds of mismatch show on the board alone.
 *
 * First, a reduce: a rank that is not the root sends what the others expect from it and goes on. If
 * it names another root, or calls something else, it may send to other ranks only. Those need not
 * be waiting, and the board shows the call for a while only (FTC_BOARD_ENTRY_CALLS). One sign
 * remains: the rank has begun a later operation of the communicator. It does so only after all
 * messages of the earlier one are in the rings, but the message that this rank waits for is in
 * none.
 *
 * Second, some ranks carry out here what others carry out in native MPI, because arguments that
 * decide about that differ (too large, not commutative). Such a call never ends. It looks like a
 * native call that takes long on some ranks while the others wait in their next operation. So it is
 * reported only after blocked_ms, as setting on_blocked says. */
#ifndef FTC_PROGRESS_MISMATCH_H
#define FTC_PROGRESS_MISMATCH_H

#include "call/call.h"
#include "communicator/communicator.h"
#include "system/stopwatch.h"

/* Notes the call of this rank in c->running. Its messages carry the note, and the board shows it
 * once the operation has begun (loop.h). To be called before the operation begins. The caller of
 * this and all functions below holds the library's lock. */
void ftc_mismatch_enter(const struct ftc_call *call, struct ftc_comm *c, uint32_t signature);

/* As above, and also notes the sizes of an element and of the value, for the error text. */
void ftc_mismatch_enter_with_data(const struct ftc_call *call, struct ftc_comm *c,
                                  uint32_t signature, size_t element_bytes, size_t value_bytes);

/* Notes on the board that this rank has left the call. */
void ftc_mismatch_leave(void);

/* Handles a message with another @signature in the operation that @c is in. @from is the user's
 * rank of its sender. The message belongs to the sender's own call, which @note describes, or it
 * reports a mismatch. */
void ftc_mismatch_meet(struct ftc_comm *c, int from, uint32_t signature,
                       const struct ftc_note *note, const struct ftc_message *m,
                       size_t value_bytes);

/* Handles a message of operation @seq of @c, which is over here. @note and @signature are those of
 * the call of @from, its sender. A mismatch is reported in the operation that @c is in, or in the
 * next one. */
void ftc_mismatch_meet_late(struct ftc_comm *c, int from, uint32_t seq, uint32_t signature,
                            const struct ftc_note *note);

/* Reports a late mismatch, found since the last operation, in the operation on @c that has
 * begun. */
void ftc_mismatch_begin(struct ftc_comm *c);

/* Type of a function that processes the messages of world rank @world (messages.h). */
typedef bool ftc_mismatch_take(uint32_t world);

/* Checks FTC_COMM_CHECKS members, the next ones in each call. Notes a mismatch if the board
 * shows another call of a member in the operation that @c is in, which may be over there, or if a
 * member has gone on to a later operation without taking part in this reduce. Returns whether it
 * noted one. */
bool ftc_mismatch_find(struct ftc_comm *c, ftc_mismatch_take *take_from);

/* State of ftc_mismatch_look_at_native() for one operation; zero at the start. */
struct ftc_mismatch_native {
    struct ftc_stopwatch stopwatch;
    uint64_t since_ns; /* time at which all members were first seen to wait so; 0: not seen */
    uint64_t versions; /* sum of the versions of the members' calls */
    bool was_told;
};

/* Checks whether some members are in native calls instead of this operation. To be called while
 * this rank waits in the operation on @c. Acts once all other members have been in the operation,
 * or in native collective calls of the same members, for blocked_ms without a change. The lowest
 * rank that waits here then prints a warning (on_blocked = warn, or abort by default). If the user
 * set on_blocked = abort, it raises a mismatch with a rank in a native call. */
void ftc_mismatch_look_at_native(struct ftc_mismatch_native *mixed, struct ftc_comm *c);

/* Reports the mismatch to all other members of @c. Later mismatches in this operation or earlier
 * ones are not reported again. */
void ftc_mismatch_spread(struct ftc_comm *c);

/* Writes one line to @text that names both calls and their sites, such as "rank 1 called
 * MPI_Reduce(count 1, MPI_INT, MPI_SUM, root 0) at prog(main+0x12)". May be called after the
 * operation. */
void ftc_mismatch_describe(const struct ftc_comm *c, char *text, size_t size);

#endif
