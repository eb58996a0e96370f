/* sites_elsewhere: fetches for the report the call sites of ranks on other hosts, which these have
 * described on their own boards. */
#ifndef FTC_REPORTING_SITES_ELSEWHERE_H
#define FTC_REPORTING_SITES_ELSEWHERE_H

#include "transport/transport.h"

/* Fetches the call sites of ranks on other hosts into the board of this host, for coverage_table.h.
 * Skips a host without a living rank, and gives up one that does not answer for a second. The call
 * sites of their ranks then stay unknown, except those fetched before. To be called by the rank
 * that writes the report, when no operation runs any more. */
void ftc_sites_elsewhere_fetch(const struct ftc_board *b, struct ftc_transport *t);

#endif
