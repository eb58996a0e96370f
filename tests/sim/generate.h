/* generate: a random scenario for each number. */
#ifndef FTC_SIM_GENERATE_H
#define FTC_SIM_GENERATE_H

#include "scenario.h"

/* The scenario of run @index under @seed: the same on every machine. */
void scenario_generate(struct scenario *c, uint64_t seed, uint64_t index);

#endif
