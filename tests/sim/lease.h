/* lease: splits, leases and the authority, where hosts are simulated with their agents
 * (doc/design.md, section 11).
 *
 * What a host and the authority may do by the time is decided by the library's own code
 * (shim/board/lease.h, shim/net/lease.h), on a clock that goes in ticks. A tick is an event like
 * others, as long as anything depends on the time: so between two of them anything else may happen,
 * or nothing. In each tick an agent asks for its lease and is answered, as far as its ways are
 * open. What is cut waits: nothing is lost by that.
 *
 * A host whose lease is over returns from nothing; its agent ends it a tick later. It goes on
 * computing and sending until then, and if the agent is paused, for two leases, while others may
 * have gone on without it. */
#ifndef FTC_SIM_LEASE_H
#define FTC_SIM_LEASE_H

#include "scenario.h"

enum { SIM_TICK_MS = 250, SIM_UNREACHABLE_MS = 500, SIM_LEASE_TICKS = 2 };

struct sim;

struct sim_lease {
    int cut_until[SIM_WAYS];        /* tick */
    uint64_t asked_ns, answered_ns; /* on its way up, and down: when it was asked; 0: nothing */
    uint64_t heard_ns;              /* by the authority */
    int awake, over, troubled;      /* ticks: its agent, its lease, any of its ways */
    int apart;                      /* its ways to other hosts */
};

/* All hosts have a lease; splits of the beginning begin. */
void sim_lease_begin(struct sim *s);

/* The time is real again. */
void sim_lease_end(void);

/* Time passes. */
void sim_lease_tick(struct sim *s);

/* @rank has carried out a send, or is about to: splits begin. */
void sim_lease_split(struct sim *s, int rank, bool before);

/* Whether what host number @from sends to @to waits. */
bool sim_lease_is_cut(const struct sim *s, int from, int to);

/* Whether the agent of @host hears the authority. */
bool sim_lease_hears_authority(const struct sim *s, int host);
bool sim_lease_agent_is_paused(const struct sim *s, int host);

/* Whether @rank may not return with a result. */
bool sim_lease_is_over(const struct sim *s, int rank);

/* The authority sees that all processes of @host have ended. */
void sim_lease_see_end(struct sim *s, int host);

/* After a death: what can happen by it. */
void sim_lease_refresh(struct sim *s);

#endif
