/* authority: who declares hosts lost (doc/design.md, section 11): a thread of mpiexec's, to which
 * the agent of each host comes (net/lease.h).
 *
 * A host whose processes have all ended is lost at once: mpiexec's connection with its proxy is
 * held by all of them and was closed there, and so was the agent's. Any other is lost when its
 * agent has not been heard for unreachable_ms and FTC_LEASE_MARGIN_MS: it has stopped by then. No
 * other is ever declared lost, so of hosts that cannot reach each other those that reach mpiexec go
 * on. */
#ifndef FTC_MPIEXEC_AUTHORITY_H
#define FTC_MPIEXEC_AUTHORITY_H

#include "proxies.h"

/* Before mpiexec looks at its environment, which is told there to whom it starts. Nobody can come
 * yet. */
bool ftc_authority_reserve(void);

/* mpiexec has started several hosts: they may come now, at the addresses at which their proxies
 * have, and no others. To be called for each proxy from the second on. */
void ftc_authority_begin(void);

/* The connection with @p has ended, or broke; in mpiexec's own thread. True if the job goes on
 * without its host, which is declared lost as soon as that may be. */
bool ftc_authority_takes(struct ftc_proxy *p, bool was_closed);

#endif
