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
 * Whoever notices tells all others of both calls, so that nobody is left waiting: one of the two is
 * not what it called itself.
 */
#ifndef FTC_PROGRESS_MISMATCH_H
#define FTC_PROGRESS_MISMATCH_H

#include "board/mark.h"
#include "call/call.h"
#include "communicator/communicator.h"

/* Notes what this rank calls: in @c, which sends it along, and shows it on the board when it has
 * begun (drive.h). To be called before the operation begins, with the library's lock held, as all
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

/* The same of an operation @seq of @c that is over here: told of in the one that @c is in, or in
 * the next one. @from has the @note of its call, of @signature. */
void ftc_mismatch_meet_late(struct ftc_comm *c, int from, uint32_t seq, uint32_t signature,
                            const struct ftc_note *note);

/* The operation on @c has begun: what has come to light since the last one. */
void ftc_mismatch_begin(struct ftc_comm *c);

/* The user's @rank has not taken part in the operation that @c is in, and is in a later one. */
void ftc_mismatch_meet_gone(struct ftc_comm *c, int rank, uint32_t seq,
                            const struct ftc_note *note);

/* @rank is in a call that native MPI carries out. */
void ftc_mismatch_meet_native(struct ftc_comm *c, int rank, const struct ftc_mark_call *call);

/* Whether the board shows another call of a rank in the operation that @c is in, which may be over
 * there: of some members, which are others in the next call (FTC_COMM_LOOKS). */
bool ftc_mismatch_find(struct ftc_comm *c);

/* Whether the user's @rank waits in a blocking call of the operation that @c is in, by the board:
 * a reduction, a barrier or a broadcast. */
bool ftc_mismatch_is_in(const struct ftc_comm *c, int rank);

/* Tells all other members of @c's operation: once, whatever else comes late of it and of those
 * before. */
void ftc_mismatch_spread(struct ftc_comm *c);

/* "MPI_Reduce(count 1, MPI_INT, MPI_SUM, root 0) at prog(main+0x12)": this rank's call, and that of
 * c->running->mismatched. */
enum { FTC_MISMATCH_CALL_TEXT = 224 }; /* MPI's texts have room for two */
void ftc_mismatch_write_own(char *text, size_t size, const struct ftc_comm *c);
void ftc_mismatch_write_other(char *text, size_t size, const struct ftc_comm *c);

/* One line: who called what, and where. Also after the operation. */
void ftc_mismatch_describe(const struct ftc_comm *c, char *text, size_t size);

#endif
