/* roll_call: who is there of those that a collective call needs, where the library has a
 * communicator of its own for them. */
#ifndef FTC_PROGRAM_ROLL_CALL_H
#define FTC_PROGRAM_ROLL_CALL_H

#include "call/call.h"
#include "communicator/communicator.h"

/* Waits until all living members of @c are in @call, and counts those who have said @is_counted in
 * *@count, which is the same on all of them; the dead are left out from then on. @call has only its
 * kind and place in the program to be told apart by. Returns an MPI error code. Takes the library's
 * lock. */
int ftc_roll_call(const struct ftc_call *call, struct ftc_comm *c, bool is_counted,
                  uint32_t *count);

/* For ftc_abandonable_run() (new_communicators/abandonable.h): whether a member of @comm has died.
 */
struct ftc_roll_watch {
    const struct ftc_comm *comm;
    uint32_t deaths_seen; /* board count when any_dead was found */
    bool any_dead;
};
bool ftc_roll_lacks_members(void *watch);

#endif
