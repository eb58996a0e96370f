#include "explore.h"

#include "check.h"
#include "order.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

void explore_total_add(struct explore_total *sum, const struct explore_total *part)
{
    sum->runs += part->runs;
    sum->failed += part->failed;
    sum->events += part->events;
    sum->messages += part->messages;
    sum->deaths += part->deaths;
    sum->losses += part->losses;
    sum->excess_runs += part->excess_runs;
    sum->cases += part->cases;
    sum->states += part->states;
    sum->digest += part->digest;
    if (part->early_most > sum->early_most)
        sum->early_most = part->early_most;
}

static bool has_excess(const struct sim *s)
{
    const struct scenario *c = &s->scenario;

    for (int i = 0; i < c->n * c->op_count; i++)
        if (s->outcome[i].verdict == FTC_VERDICT_EXCESS)
            return true;
    return false;
}

static uint64_t mix(uint64_t x, uint64_t y)
{
    x = (x ^ y) * 0x9e3779b97f4a7c15ull;
    return x ^ x >> 32;
}

/* Of the events and of every result. */
static uint64_t digest_of(const struct sim *s)
{
    uint64_t digest = s->digest;

    for (int i = 0; i < s->scenario.n * s->scenario.op_count; i++) {
        const struct sim_outcome *o = &s->outcome[i];

        digest = mix(digest, o->failed ^ (uint64_t)o->verdict << 60 ^ o->attempt);
        digest = mix(digest, ((const struct sim_value *)o->value)->expression);
    }
    return digest;
}

void explore_report(const struct scenario *c, const char *violation)
{
    char line[SIM_LINE_CHARS];

    scenario_print(c, line);
    fprintf(stderr, "\nbroken rule: %s\nreplay: simulate '%s'\n", violation, line);
}

static const struct scenario *current; /* that explore_run() is busy with */

static void on_fatal_signal(int signal_number)
{
    if (current)
        explore_report(current, "an assertion, or worse");
    _exit(128 + signal_number);
}

void explore_report_fatal_signals(void)
{
    signal(SIGABRT, on_fatal_signal);
    signal(SIGSEGV, on_fatal_signal);
}

static uint64_t expressions(const struct sim *s)
{
    uint64_t all = 0;

    for (int i = 0; i < s->scenario.n * s->scenario.op_count; i++)
        all = mix(all, ((const struct sim_value *)s->outcome[i].value)->expression);
    return all;
}

/* "deterministic": without failures the order of events does not change a bit. */
static void bits_do_not_depend_on_the_order(struct sim *s, const struct scenario *c,
                                            uint64_t before)
{
    struct scenario other = *c;

    other.order = c->order == SIM_ORDER_OLDEST ? SIM_ORDER_RANDOM : SIM_ORDER_OLDEST;
    other.crash_count = other.free_crashes = other.split_count = 0;
    sim_run_scenario(s, &other);
    if (expressions(s) != before)
        sim_violation(s, "bits_do_not_depend_on_the_order", "unlike another order");
}

static uint64_t losses_of(const struct sim *s)
{
    uint64_t losses = 0;

    for (int host = 0; s->scenario.has_agents && host < s->host_count; host++)
        losses += s->hosts[host].is_lost;
    return losses;
}

static void take_sends(const struct sim *s, struct explore_sends *sends)
{
    for (int rank = 0; rank < s->scenario.n; rank++) {
        sends->count[rank] = s->process[rank].sends;
        sends->first[rank] = s->process[rank].first_sends;
    }
}

bool explore_run(struct sim *s, const struct scenario *c, struct explore_total *total,
                 struct explore_sends *sends)
{
    current = c;
    sim_run_scenario(s, c);
    if (sends)
        take_sends(s, sends);
    total->runs++;
    total->events += s->steps;
    total->messages += s->deliveries;
    total->deaths += (uint64_t)__builtin_popcountll(s->dead);
    total->losses += losses_of(s);
    total->excess_runs += has_excess(s);
    total->digest += digest_of(s);
    if (s->early_most > total->early_most)
        total->early_most = s->early_most;
    if (c->deterministic && s->dead == 0 && s->violation[0] == '\0')
        bits_do_not_depend_on_the_order(s, c, expressions(s));
    if (s->violation[0] == '\0')
        return true;
    total->failed++;
    explore_report(&s->scenario, s->violation);
    return false;
}

void explore_set_order(struct scenario *c, enum scenario_order order, uint64_t number)
{
    c->order = order;
    c->seed = number * SIM_ORDER_COUNT + (uint64_t)order;
}

void explore_orders(struct sim *s, struct scenario *c, struct explore_total *total, uint64_t number,
                    int sends[SIM_MAX_N])
{
    struct explore_sends own;

    for (int order = 0; order < SIM_ORDER_COUNT && total->failed == 0; order++) {
        explore_set_order(c, (enum scenario_order)order, number);
        explore_run(s, c, total, &own);
        for (int rank = 0; rank < c->n; rank++)
            if (own.count[rank] > sends[rank])
                sends[rank] = own.count[rank];
    }
}

bool explore_next_layout(struct scenario *c)
{
    for (int rank = c->n - 1; rank > 0; rank--) {
        int highest = 0;

        for (int i = 0; i < rank; i++)
            highest = c->host[i] > highest ? c->host[i] : highest;
        if (c->host[rank] <= highest && c->host[rank] < EXPLORE_MOST_HOSTS - 1) {
            c->host[rank]++;
            memset(c->host + rank + 1, 0, (size_t)(c->n - rank - 1));
            return true;
        }
    }
    return false;
}
