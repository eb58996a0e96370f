/* authority: a thread in mpiexec that alone declares hosts lost (doc/design.md, section 11). The
 * agent of each host connects to it and asks for leases (net/lease.h).
 *
 * A host whose processes have all ended is lost at once. All of them held mpiexec's connection with
 * the host's proxy, so its closing shows their end. The agent's connection has closed as well. Any
 * other host is lost when its agent has not been heard for unreachable_ms and
 * ftc_lease_margin_ms(). By then the host has stopped. No other host is ever declared lost, so if
 * hosts cannot reach each other, those that reach mpiexec go on. */
#ifndef FTC_MPIEXEC_AUTHORITY_H
#define FTC_MPIEXEC_AUTHORITY_H

#include "proxies.h"

/* Reserves a port and writes it, with a key, into mpiexec's environment, which the processes that
 * it starts inherit (FTC_LEASE_VARIABLE). Must be called before mpiexec reads its environment. No
 * agent can connect before ftc_authority_begin(). Returns false on an error. */
bool ftc_authority_reserve(void);

/* Listens at the addresses at which proxies have reached mpiexec, and at no others. The first call
 * starts the authority's thread. Must be called for each proxy from the second on. */
void ftc_authority_begin(void);

/* Notes that the connection with @p has ended: it @was_closed, or it broke. Returns whether the job
 * goes on without its host, which is then declared lost as soon as that is allowed. Must be called
 * in mpiexec's own thread, with ftc_proxies_lock() held. */
bool ftc_authority_takes(struct ftc_proxy *p, bool was_closed);

#endif
