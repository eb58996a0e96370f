/* scenario: all that determines a simulated run, as one line of text.
 *
 *     n=5 f=1 ops=A,R2,A scheme=list tree=binomial corr=group alg=corrected det=1 channels=fifo
 *     value=sums publish=now reads=needed hosts=0.0.1.1.2 far=0 domain=rank exchange=all places=1
 *     crash=3@a2,1@any agents=1 agent=1@b2 split=1oiud@3a2+4 order=random seed=123
 *
 * Keys that are left out have the defaults of scenario_default(). The same line gives the same run,
 * bit for bit.
 */
#ifndef FTC_SIM_SCENARIO_H
#define FTC_SIM_SCENARIO_H

#include "engine/operation.h"
#include "engine/schedule.h"

#include <stdio.h>

enum {
    SIM_MAX_N = 64,
    SIM_MAX_OPS = 8,
    SIM_MAX_CRASHES = 16,
    SIM_MAX_AGENTS = 4,
    SIM_MAX_SPLITS = 4,
    SIM_MAX_PLACES = 2,
    SIM_MAX_CHOICES = 1024,
    SIM_LINE_CHARS = 4096,
};

/* A: allreduce. R2: reduce to rank 2. D2: the same, directly. L, LR2, LB2: the same of data that
 * are too large for messages, and a broadcast of them from rank 2; engine operation: the vote. T:
 * tries that again, if the vote before was that it is incomplete; else nothing. P: blocks in
 * rounds, an allgather; engine operation: the vote of a round. T behind it: the next round, if the
 * vote before was that somebody has something left; else nothing. S: the first slice of a large
 * reduction. T behind it: the next slice, unless all have the same contributors. */
struct scenario_op {
    enum ftc_op_kind kind;
    int root;
    bool is_direct;
    bool is_large, is_in_rounds, is_segmented, is_further;
    enum ftc_schedule_kind data;
};

/* @ranks die together, at the instant that @first, which stands first among them,
 * 3@a2  has just carried out its 2nd send (3@a0: before it starts)
 * 3@b2  is about to carry out its 2nd send.
 * 5+1+2@a3 is the loss of a host. */
struct scenario_crash {
    uint64_t ranks;
    int first;
    bool before;
    int sends;
};

/* The agent of @host ends when it has come to its news number @news, counted from 1, and those of
 * its host's agents before it: of a death on another host. The next one asks for all of them again.
 * 1@b2  before it has entered it in its board
 * 1@m2  in the middle: it has, and has not counted it
 * 1@a2  after that. */
enum scenario_when { SIM_BEFORE, SIM_WITHIN, SIM_AFTER };
struct scenario_agent {
    int host, news;
    enum scenario_when when;
};

/* What of @host is cut, so that it waits until it is mended: */
enum scenario_way {
    SIM_WAY_OUT,   /* o: what other hosts would get from it, */
    SIM_WAY_IN,    /* i: and it from them */
    SIM_WAY_UP,    /* u: what the authority would, */
    SIM_WAY_DOWN,  /* d: and it from the authority */
    SIM_WAY_AGENT, /* p: no way: its agent is paused, and neither asks nor hears */
    SIM_WAYS,
};

/* 1oiud@3a2+4: at the instant that rank 3 has carried out its 2nd send (b2: is about to; a0: at the
 * beginning), for 4 ticks, of which a lease has 2 (lease.h); without the +4 for good. */
struct scenario_split {
    int host;
    unsigned ways; /* a set */
    int rank, sends;
    bool before;
    int ticks; /* 0: for good */
};

/* Which of the possible events comes next. */
enum scenario_order {
    SIM_ORDER_OLDEST,     /* that has been possible for longest: everything takes one tick */
    SIM_ORDER_RANDOM,     /* any, with the same probability */
    SIM_ORDER_LATE_NEWS,  /* a death is learnt of when nothing else happens */
    SIM_ORDER_EARLY_NEWS, /* a death is learnt of before anything else happens */
    SIM_ORDER_SLOW,       /* one process, by the seed, moves when nothing else happens */
    SIM_ORDER_RACE,       /* each process has a speed, by the seed */
    SIM_ORDER_COUNT,
};

struct scenario {
    int n, f;
    struct scenario_op op[SIM_MAX_OPS];
    int op_count;
    enum ftc_failure_scheme scheme;
    struct ftc_tree_shape tree;
    enum ftc_correction correction;
    int ring_distance;
    enum ftc_algorithm algorithm;
    bool deterministic;
    bool overtaking; /* channels=any: messages of one sender to one receiver overtake each other */
    bool late_publish; /* publish=late: publication is an event of its own, after the last send */
    bool blocks;       /* value=blocks: values are put together from blocks, and vary in length */
    bool eager_reads;  /* reads=eager: also looks at the board without knowing of a failure */
    /* hosts=3: rank R is on host R % 3. hosts=0.0.1: each rank's host. What one shows to another
     * host comes as an answer, later, and messages that are under way to another host may die with
     * their sender. */
    uint8_t host[SIM_MAX_N]; /* by rank; all 0: one host */
    bool are_far;            /* far=1: an exchange between them goes in rounds of two doublings */
    bool hosts_fail;         /* domain=host: f counts hosts */
    int places;              /* places=2: of a rank for what it posts, 1 to SIM_MAX_PLACES */
    /* exchange=collect, tell: on one host the values of an exchange go to a leader, or those of a
     * few ranks to all of them. */
    enum ftc_exchange_manner manner;
    struct scenario_crash crash[SIM_MAX_CRASHES];
    int crash_count;
    uint64_t free_ranks; /* 3@any, any:2: ranks that may die at an instant that is a choice */
    int free_crashes;    /* how many of them do at most */
    /* agents=1: what is known of another host is what this host's agent has entered in its board.
     * No large operations: these are of one host. */
    bool has_agents;
    struct scenario_agent agent[SIM_MAX_AGENTS]; /* those that end */
    int agent_count;
    struct scenario_split split[SIM_MAX_SPLITS]; /* with agents, and without overtaking */
    int split_count;
    enum scenario_order order;
    uint64_t seed;
    int choice_count; /* choices=3.0.1: replays these choices first, then goes on by the order */
    int16_t choice[SIM_MAX_CHOICES];
};

void scenario_default(struct scenario *c);

/* Rank R is on host R % @hosts. */
void scenario_deal_hosts(struct scenario *c, int hosts);

/* The ranks on @host. */
uint64_t scenario_ranks_on(const struct scenario *c, int host);

/* How many hosts @ranks are on. */
int scenario_hosts_among(const struct scenario *c, uint64_t ranks);

/* Whether the operation must bear that @dead of @members are so: up to f ranks; where hosts fail,
 * also all ranks of up to f of their hosts, but of one. */
bool scenario_is_tolerable(const struct scenario *c, uint64_t members, uint64_t dead);

/* Reads @line; 0, or -1 with a message on stderr. */
int scenario_parse(struct scenario *c, const char *line);

void scenario_print(const struct scenario *c, char line[SIM_LINE_CHARS]);

#endif
