/* mismatch: ranks that call different collective operations on one communicator at the same time,
 * which MPI forbids and natively gives a hang or a wrong result.
 *
 * A rank notices when a message carries another signature than its own call has, or, when it has
 * waited for a while, by what the board says of the others' calls (two ranks that both take
 * themselves for the root of a reduce send each other nothing). Whoever notices tells all others,
 * so that nobody is left waiting.
 */
#ifndef FTC_MISMATCH_H
#define FTC_MISMATCH_H

#include "call.h"
#include "comm.h"

/* Enters in the board what this rank calls, for messages to people and for ftc_mismatch_find(). To
 * be called with the library's lock held, both. */
void ftc_mismatch_enter(const struct ftc_call *call, const struct ftc_comm *c, uint32_t signature);
void ftc_mismatch_leave(void);

/* User's rank that the board shows in another call of the operation that @c is in; -1: none. */
int ftc_mismatch_find(const struct ftc_comm *c);

/* Whether the user's @rank waits in a blocking call of the operation that @c is in, by the board:
 * a reduction, a barrier or a broadcast. */
bool ftc_mismatch_is_in(const struct ftc_comm *c, int rank);

/* The call of the user's @rank and its site: of the operation that @c is in, or else the native
 * call of @c's members that it is marked to be in. */
void ftc_mismatch_write_call(char *text, size_t size, const struct ftc_comm *c, int rank);

/* Tells all other members of @c's operation. */
void ftc_mismatch_spread(const struct ftc_comm *c);

/* One line: who called what, and where. @other is a user's rank. */
void ftc_mismatch_describe(const struct ftc_call *call, const struct ftc_comm *c, int other,
                           char *text, size_t size);

#endif
