/* living_members: counts the living members of a communicator, for calls that native MPI carries
 * out among them (files, windows). */
#ifndef FTC_PROGRAM_LIVING_MEMBERS_H
#define FTC_PROGRAM_LIVING_MEMBERS_H

#include "call/call.h"
#include "communicator/communicator.h"

/* Waits until all living members of @c are in @call. Stores in *@count how many of them have passed
 * true as @is_counted, the same number on all. Excludes the dead from @c. Only the kind of @call
 * decides whether the calls of the members match; its return address names the call site in an
 * error. Returns an MPI error code. Takes the library's lock. */
int ftc_living_members_count(const struct ftc_call *call, struct ftc_comm *c, bool is_counted,
                             uint32_t *count);

struct ftc_death_watch {
    const struct ftc_comm *comm;
    uint32_t deaths_seen; /* deaths on the board at the last check of the members */
    bool any_dead;
};

/* Returns whether a member of the communicator has died. @watch is a struct ftc_death_watch, for
 * ftc_abandonable_run() (new_communicators/abandonable.h). */
bool ftc_death_watch_any_dead(void *watch);

#endif
