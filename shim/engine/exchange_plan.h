/* exchange_plan: what a rank does in the optimistic attempt of an allreduce, step by step.
 *
 * The attempt follows the hosts: the values of a host come together at its first rank, the leader;
 * the leaders exchange what they have; the others of the host take what their leader publishes.
 *
 *     collect     the others of the host -> leader; by a tree of more than RADIX ranks, or on
 *                 several hosts of more than RADIX_OF_HOSTS
 *     exchange    the leaders, by recursive doubling
 *     read        the others of the host, on the board
 *
 * For a number of leaders that is no power of two, the first 2 * pairs of them pair up: the even
 * one folds its value into the odd one and gets the result back at the end.
 *
 *     step  0         fold in      even -> odd                   (if there are pairs)
 *     step  1 .. k    doubling     with the partner at distance 2^(step - 1)
 *     step  k + 1     fold out     odd -> even                   (if there are pairs)
 *
 * On one host with a core for each rank nobody collects: all ranks exchange.
 */
#ifndef FTC_ENGINE_EXCHANGE_PLAN_H
#define FTC_ENGINE_EXCHANGE_PLAN_H

#include "hosts.h"

#include <stdbool.h>
#include <stdint.h>

/* In which pairs and blocks n values are combined: 2^doublings leaves, of which the first @pairs
 * are two values, all others one. */
struct ftc_nesting {
    int doublings, pairs;
};

struct ftc_nesting ftc_nesting_of(int n);

static inline int ftc_nesting_leaves(struct ftc_nesting s)
{
    return 1 << s.doublings;
}

/* First value of a leaf. */
static inline int ftc_nesting_first(struct ftc_nesting s, int leaf)
{
    return leaf < s.pairs ? 2 * leaf : leaf + s.pairs;
}

enum ftc_exchange_act {
    FTC_EXCHANGE_NOTHING,
    FTC_EXCHANGE_COLLECT, /* receives a value, for the next step to combine */
    FTC_EXCHANGE_COMBINE, /* all that it has collected, with its own */
    FTC_EXCHANGE_GIVE,    /* sends what it has */
    FTC_EXCHANGE_TAKE,    /* receives a value, and combines */
    FTC_EXCHANGE_SWAP,    /* both */
    FTC_EXCHANGE_GET,     /* receives the result */
    FTC_EXCHANGE_READ,    /* the result, as @peer publishes it */
};

struct ftc_exchange_step {
    int peer;        /* -1: none */
    uint16_t number; /* of the message */
    uint8_t act;     /* enum ftc_exchange_act */
};

enum {
    FTC_EXCHANGE_RADIX = 16,         /* on one host, where ranks share cores */
    FTC_EXCHANGE_RADIX_OF_HOSTS = 3, /* where there are several */
    FTC_EXCHANGE_LEVELS = 8,         /* RADIX^LEVELS ranks are more than there are */
    FTC_EXCHANGE_LEADERS_STEPS = 34, /* fold in, 32 doublings, fold out */
    FTC_EXCHANGE_CHILDREN = (FTC_EXCHANGE_RADIX - 1) * FTC_EXCHANGE_LEVELS,
    FTC_EXCHANGE_STEPS = FTC_EXCHANGE_CHILDREN + 1 + FTC_EXCHANGE_LEADERS_STEPS,
};

struct ftc_exchange_plan {
    int collected; /* the first steps collect so many values */
    int leaders;   /* index of the first step among leaders */
    int count;
    struct ftc_exchange_step step[FTC_EXCHANGE_STEPS];
};

/* Of @rank among @n. @collects: also if they are on one host. */
void ftc_exchange_plan_make(struct ftc_exchange_plan *p, const struct ftc_hosts *hosts,
                            bool collects, int n, int rank);

/* Index of the step that receives message @number; -1: none does. */
int ftc_exchange_receiving_step(const struct ftc_exchange_plan *p, unsigned number);

#endif
