/* order: the chooser that a scenario names, after the choices that it lists. */
#ifndef FTC_SIM_ORDER_H
#define FTC_SIM_ORDER_H

#include "sim.h"

struct sim_order {
    uint64_t state; /* of the random numbers */
    int slow;       /* order=slow: the process that moves last */
    int used;       /* of the scenario's choices */
};

/* The returned chooser refers to @o, which is set up for one run of @c. */
struct sim_chooser sim_order_chooser(struct sim_order *o, const struct scenario *c);

/* One run of @c; true if no rule was broken. */
bool sim_run_scenario(struct sim *s, const struct scenario *c);

#endif
