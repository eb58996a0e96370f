/* exchange_plan: what a rank does in the optimistic attempt of an allreduce, step by step.
 *
 * The attempt follows the hosts: the values of a host come together at its first rank, the leader;
 * the leaders exchange what they have; the others of the host take what their leader publishes.
 *
 *     collect     the others of the host -> leader; by a tree of more than RADIX ranks, or on
 *                 several hosts of more than RADIX_OF_HOSTS and of one less in turns
 *     exchange    the leaders, by recursive doubling, in rounds
 *     read        the others of the host, on the board
 *
 * A round is one doubling, or FUSED doublings where hosts are far from each other: then 2^FUSED
 * leaders tell each other what they have, and each combines what the doublings would have, in the
 * same pairs. The messages of a round are on their way at once, so that it takes little more than
 * one doubling.
 *
 * For a number of leaders that is no power of two, the first 2 * pairs of them pair up: the even
 * one folds its value into the odd one and gets the result back at the end.
 *
 *     fold in      even -> odd                                  (if there are pairs)
 *     rounds       with the partners at distances 1, 2, 4, ...; or 1 to 3, then 4, 8 and 12, ...
 *     fold out     odd -> even                                  (if there are pairs)
 *
 * On one host with a core for each rank nobody collects: all ranks exchange, a doubling a round. Up
 * to TELLERS ranks of one host that share cores all tell each other what they have, in one round.
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

/* What ranks of one host do. Where there are several hosts it is the same in each. */
enum ftc_exchange_manner {
    FTC_EXCHANGE_BY_ALL,  /* each is a leader */
    FTC_EXCHANGE_COLLECT, /* the first one is */
    FTC_EXCHANGE_TELL,    /* up to FTC_EXCHANGE_TELLERS tell each other; more collect */
    FTC_EXCHANGE_MANNERS,
};

enum ftc_exchange_act {
    FTC_EXCHANGE_KEEP,    /* receives a value, for the COMBINE that follows */
    FTC_EXCHANGE_COMBINE, /* the values of the @number steps before it, and its own as the @peer-th
                           */
    FTC_EXCHANGE_GIVE,    /* sends what it has */
    FTC_EXCHANGE_TAKE,    /* receives a value, and combines */
    FTC_EXCHANGE_SWAP,    /* both */
    FTC_EXCHANGE_GET,     /* receives the result */
    FTC_EXCHANGE_READ,    /* the result, as @peer publishes it */
};

struct ftc_exchange_step {
    int peer;
    uint16_t number; /* of the message; those that a rank receives differ */
    uint8_t act;     /* enum ftc_exchange_act */
};

enum {
    FTC_EXCHANGE_RADIX = 16,         /* on one host, where ranks share cores */
    FTC_EXCHANGE_RADIX_OF_HOSTS = 3, /* where there are several */
    FTC_EXCHANGE_LEVELS = 8,         /* RADIX^LEVELS ranks are more than there are */
    FTC_EXCHANGE_TELLERS = 16,
    FTC_EXCHANGE_FUSED = 2,      /* doublings a round */
    FTC_EXCHANGE_DOUBLINGS = 20, /* 2^20 leaders are more than there are */
    /* Fold in, fold out, and rounds of three messages out and three in. */
    FTC_EXCHANGE_LEADERS_STEPS = 2 + FTC_EXCHANGE_DOUBLINGS / FTC_EXCHANGE_FUSED * 7,
    FTC_EXCHANGE_CHILDREN = (FTC_EXCHANGE_RADIX - 1) * FTC_EXCHANGE_LEVELS,
    FTC_EXCHANGE_STEPS = FTC_EXCHANGE_CHILDREN + 1 + FTC_EXCHANGE_LEADERS_STEPS,
};

struct ftc_exchange_plan {
    int count;
    bool tells; /* gives one value to all others at once, in messages that are alike: one may be
                   sent for all of them. What it receives is of that kind, too */
    struct ftc_exchange_step step[FTC_EXCHANGE_STEPS];
};

/* Of @rank among @n. */
void ftc_exchange_plan_make(struct ftc_exchange_plan *p, const struct ftc_hosts *hosts,
                            enum ftc_exchange_manner manner, int n, int rank);

/* Index of the step that receives message @number; -1: none does. */
int ftc_exchange_receiving_step(const struct ftc_exchange_plan *p, unsigned number);

#endif
