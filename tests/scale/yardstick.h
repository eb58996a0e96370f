/* yardstick: algorithms without fault tolerance, written anew, in the clock of the machine. */
#ifndef SCALE_YARDSTICK_H
#define SCALE_YARDSTICK_H

#include "machine.h"

/* Allreduce by recursive doubling; if n is no power of two, the first 2 (n - 2^k) ranks pair up
 * before and after. */
int64_t yardstick_recursive_doubling(int n, struct ftc_logp cost);

/* The same in groups of @base; -1: n is no power of that. */
int64_t yardstick_recursive_multiplying(int n, struct ftc_logp cost, int base);

enum yardstick_way { YARDSTICK_UP = 1, YARDSTICK_DOWN = 2 };

/* Reduce (up) or broadcast (down) or both, one after the other, by the binomial tree. */
int64_t yardstick_binomial(int n, struct ftc_logp cost, int ways);

/* Broadcast by the Lame(k) tree, and by the fastest tree that there is. */
int64_t yardstick_lame(int n, struct ftc_logp cost, int k);
int64_t yardstick_optimal(int n, struct ftc_logp cost);

#endif
