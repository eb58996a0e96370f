/* exchange_plan: the steps of a rank in the optimistic attempt of an allreduce.
 *
 * The attempt follows the hosts. The values of a host come together at its first rank, the leader.
 * The leaders exchange what they have. The other ranks of a host take what their leader publishes.
 *
 *     collect     other ranks of the host -> leader, by a tree of radix RADIX; on several hosts by
 *                 one whose levels have the radices RADIX_OF_HOSTS and one less in turns
 *     exchange    the leaders, by recursive doubling, in rounds
 *     read        other ranks of the host, from the board
 *
 * A round is one doubling, or FUSED doublings where hosts are far from each other. In fused
 * doublings 2^FUSED leaders send each other what they have. Each then combines what the doublings
 * would have combined, in the same pairs. The messages of a round are in flight at the same time,
 * so a round takes little longer than one doubling.
 *
 * If the number of leaders is no power of two, the first 2 * pairs of them form pairs. The even
 * leader of a pair folds its value into the odd one and gets the result back at the end.
 *
 *     fold in      even -> odd                                  (if there are pairs)
 *     rounds       with the partners at distances 1, 2, 4, ...; or 1 to 3, then 4, 8 and 12, ...
 *     fold out     odd -> even                                  (if there are pairs)
 *
 * On one host with a core for each rank, no rank collects: all ranks exchange, one doubling a
 * round. Up to MULTICAST_MAX ranks of one host that share cores send each other what they have in
 * one round. */
#ifndef FTC_ENGINE_EXCHANGE_PLAN_H
#define FTC_ENGINE_EXCHANGE_PLAN_H

#include "hosts.h"

#include <stdbool.h>
#include <stdint.h>

/* Pairs and blocks in which n values are combined: 2^doublings leaves, of which the first @pairs
 * have two values each and all others one. */
struct ftc_nesting {
    int doublings, pairs;
};

struct ftc_nesting ftc_nesting_of(int n);

static inline int ftc_nesting_leaves(struct ftc_nesting s)
{
    return 1 << s.doublings;
}

/* Returns the first value of a leaf. */
static inline int ftc_nesting_first(struct ftc_nesting s, int leaf)
{
    return leaf < s.pairs ? 2 * leaf : leaf + s.pairs;
}

/* Manner in which the ranks of one host exchange values. Ranks on several hosts always collect,
 * whatever the manner. */
enum ftc_exchange_manner {
    FTC_EXCHANGE_BY_ALL,    /* each rank is a leader */
    FTC_EXCHANGE_COLLECT,   /* the first rank is the leader */
    FTC_EXCHANGE_MULTICAST, /* up to MULTICAST_MAX ranks send to all others; more collect */
    FTC_EXCHANGE_MANNERS,
};

enum ftc_exchange_act {
    FTC_EXCHANGE_KEEP,    /* receives a value for the COMBINE that follows */
    FTC_EXCHANGE_COMBINE, /* combines values of @number steps before; its own has place @peer */
    FTC_EXCHANGE_GIVE,    /* sends its value */
    FTC_EXCHANGE_TAKE,    /* receives a value and combines it */
    FTC_EXCHANGE_SWAP,    /* sends its value, receives one and combines it */
    FTC_EXCHANGE_GET,     /* receives the result */
    FTC_EXCHANGE_READ,    /* reads the result that @peer publishes */
};

struct ftc_exchange_step {
    int peer;
    uint16_t number; /* of the message; a rank receives each number once */
    uint8_t act;     /* enum ftc_exchange_act */
};

enum {
    FTC_EXCHANGE_RADIX = 16,         /* on one host where ranks share cores */
    FTC_EXCHANGE_RADIX_OF_HOSTS = 3, /* on several hosts */
    FTC_EXCHANGE_LEVELS = 8,         /* RADIX^LEVELS ranks are more than there are */
    FTC_EXCHANGE_MULTICAST_MAX = 16,
    FTC_EXCHANGE_FUSED = 2,      /* doublings in a round */
    FTC_EXCHANGE_DOUBLINGS = 20, /* 2^20 leaders are more than there are */
    /* Fold in, fold out, and rounds of seven steps: three messages out, three in, and a
     * combination. */
    FTC_EXCHANGE_LEADERS_STEPS = 2 + FTC_EXCHANGE_DOUBLINGS / FTC_EXCHANGE_FUSED * 7,
    FTC_EXCHANGE_CHILDREN = (FTC_EXCHANGE_RADIX - 1) * FTC_EXCHANGE_LEVELS,
    FTC_EXCHANGE_STEPS = FTC_EXCHANGE_CHILDREN + 1 + FTC_EXCHANGE_LEADERS_STEPS,
};

struct ftc_exchange_plan {
    int count;
    /* Whether the rank sends one value to all others in equal messages, so that one message may be
     * sent for all of them. The values that it receives come in such messages, too. */
    bool multicasts;
    struct ftc_exchange_step step[FTC_EXCHANGE_STEPS];
};

/* Makes the plan of @rank among @n ranks. */
void ftc_exchange_plan_make(struct ftc_exchange_plan *p, const struct ftc_hosts *hosts,
                            enum ftc_exchange_manner manner, int n, int rank);

/* Returns the index of the step that receives message @number; -1 if there is none. */
int ftc_exchange_receiving_step(const struct ftc_exchange_plan *p, unsigned number);

#endif
