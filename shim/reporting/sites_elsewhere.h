/* sites_elsewhere: fetches the call sites of ranks on other hosts for the report. The ranks have
 * described them on the boards of their hosts. */
#ifndef FTC_REPORTING_SITES_ELSEWHERE_H
#define FTC_REPORTING_SITES_ELSEWHERE_H

#include "transport/transport.h"

/* Fetches the call sites of ranks on other hosts into the board of this host, for coverage_table.h.
 * Skips a host without a living rank, and gives up a host that does not answer for a second. The
 * call sites of its ranks then stay unknown, except those fetched before. To be called by the rank
 * that writes the report, when no operation runs any more. */
void ftc_sites_elsewhere_fetch(const struct ftc_board *b, struct ftc_transport *t);

#endif
