/* state: a hash of all that decides what can still happen in a cluster, and of all that the rules
 * at the end look at, but for the number of messages. */
#ifndef FTC_SIM_STATE_H
#define FTC_SIM_STATE_H

#include "sim.h"

uint64_t sim_state_hash(const struct sim *s);

#endif
