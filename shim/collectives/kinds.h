/* kinds: the kinds of collective calls, one file each. call/calls.def says which call is of which.
 */
#ifndef FTC_COLLECTIVES_KINDS_H
#define FTC_COLLECTIVES_KINDS_H

#include "protocols/collective.h"

extern const struct ftc_collective ftc_collective_reduction, ftc_collective_barrier,
    ftc_collective_broadcast, ftc_collective_blocks, ftc_collective_scan, ftc_collective_between;

#endif
