/* sites_elsewhere: for the report, the call sites of ranks on other hosts, which those have
 * described on the boards there. */
#ifndef FTC_REPORTING_SITES_ELSEWHERE_H
#define FTC_REPORTING_SITES_ELSEWHERE_H

#include "transport/transport.h"

/* Enters them in the board of this host, for coverage_table.h. A host of which no rank lives is not
 * asked, and one that does not answer for a second is given up: of their ranks nothing is known
 * then. To be called by the one that writes the report, when no operation runs any more. */
void ftc_sites_elsewhere_fetch(const struct ftc_board *b, struct ftc_transport *t);

#endif
