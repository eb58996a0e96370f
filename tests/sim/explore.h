/* explore: many runs, and what is said of them. */
#ifndef FTC_SIM_EXPLORE_H
#define FTC_SIM_EXPLORE_H

#include "sim.h"

/* Counts of what has been explored; those of several workers add up. */
struct explore_total {
    uint64_t runs, failed, events, messages, deaths, excess_runs;
    uint64_t cases, states; /* of exploring all interleavings; a run is a path then */
    uint64_t losses;        /* of hosts, which the authority has declared */
    uint64_t digest;        /* sum over the runs, so that it does not depend on their order */
    uint64_t early_most;
};

void explore_total_add(struct explore_total *sum, const struct explore_total *part);

/* Where each process of a run sent: after all of its sends, and before the first of each step, it
 * may as well die. Before another is after the one before that. */
struct explore_sends {
    int count[SIM_MAX_N];
    uint64_t first[SIM_MAX_N]; /* sim_process.first_sends */
};

/* Whether send number @send of @rank may be the first of its step. */
static inline bool explore_is_first_of_step(const struct explore_sends *sends, int rank, int send)
{
    return send >= SIM_FIRST_SENDS || sends->first[rank] >> send & 1;
}

/* One run of @c. Adds to @total; a broken rule is reported on stderr with the line that replays it.
 * @sends: NULL, or what becomes known of it. */
bool explore_run(struct sim *s, const struct scenario *c, struct explore_total *total,
                 struct explore_sends *sends);

/* @c in the order @order; @number makes the seeds. */
void explore_set_order(struct scenario *c, enum scenario_order order, uint64_t number);

/* Runs @c in each order, unless a rule is broken. @sends: the most that each process has sent in
 * any of them. @number makes the seeds. */
void explore_orders(struct sim *s, struct scenario *c, struct explore_total *total, uint64_t number,
                    int sends[SIM_MAX_N]);

/* The next way to put ranks on up to so many hosts, numbered in order; false after the last one. */
enum { EXPLORE_MOST_HOSTS = 4 };
bool explore_next_layout(struct scenario *c);

/* Says on stderr which rule is broken, and the line that replays it. */
void explore_report(const struct scenario *c, const char *violation);

/* An assertion of the engine ends the process: the line that led to it is shown all the same. */
void explore_report_fatal_signals(void);

/* @runs random scenarios under @seed by @jobs processes. 0, or 1 if a rule was broken. */
int explore_random(uint64_t runs, uint64_t seed, int jobs);

/* All crash points of small clusters. @what: reduce or allreduce; @small: a share in seconds. */
int explore_crash_points(enum ftc_op_kind what, bool small, int jobs);

/* The same of large operations: in the data phase, between it and the vote, in the vote. */
int explore_large_crash_points(bool small, int jobs);

/* Losses of hosts and deaths of ranks of up to f hosts, at all crash points, with all layouts of
 * small clusters on up to 4 hosts. */
int explore_failing_hosts(bool small, int jobs);

/* Hosts that are cut off, and agents that end, in all layouts of small clusters on up to 4 hosts.
 */
int explore_splits(bool small, int jobs);

/* All interleavings of messages, deaths and news, of one scenario and of a list of them. */
int explore_interleavings_of(const char *line);
int explore_interleavings(bool small, int jobs);

#endif
