/* exchange_plan: who sends to whom in which step of a recursive doubling.
 *
 * For n that is no power of two, the first 2 * rest ranks pair up: the even one folds its value
 * into the odd one and gets the result back at the end.
 *
 *     step  0         fold in      even -> odd
 *     step  1 .. k    doubling     with the partner at distance 2^(step - 1)
 *     step  k + 1     fold out     odd -> even
 */
#ifndef FTC_ENGINE_EXCHANGE_PLAN_H
#define FTC_ENGINE_EXCHANGE_PLAN_H

#include <stdbool.h>

enum { FTC_EXCHANGE_STEPS = 34 }; /* fold in, 32 doublings, fold out */

struct ftc_exchange_plan {
    int doublings, rest;
    bool folds, folded_away; /* takes part in a pair; is its even member */
    int number;              /* among those who double */
};

struct ftc_exchange_plan ftc_exchange_plan(int n, int rank);

/* At most FTC_EXCHANGE_STEPS; the same for all ranks. */
static inline int ftc_exchange_steps(const struct ftc_exchange_plan *p)
{
    return p->doublings + 2;
}

/* Partner of a step, or -1: nothing to do in it. */
int ftc_exchange_partner(const struct ftc_exchange_plan *p, int rank, int step);

/* Which side of its pair a rank is in a step. */
bool ftc_exchange_sends_in(const struct ftc_exchange_plan *p, int step);
bool ftc_exchange_receives_in(const struct ftc_exchange_plan *p, int step);

#endif
