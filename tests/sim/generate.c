#include "generate.h"

#include "random.h"
#include "segmented.h"

#include <string.h>

static bool one_in(uint64_t *r, unsigned n)
{
    return random_below(r, n) == 0;
}

static int between(uint64_t *r, int least, int most)
{
    return least + (int)random_below(r, (unsigned)(most - least + 1));
}

/* Mostly small, because what is wrong mostly shows there, and some of each size. */
static void generate_size(struct scenario *c, uint64_t *r)
{
    if (!one_in(r, 64)) {
        c->n = one_in(r, 4) ? between(r, 1, 12) : between(r, 2, 6);
        c->f = one_in(r, 16) ? between(r, 0, 8) : between(r, 0, 3);
    } else {
        c->n = between(r, 13, SIM_MAX_N);
        c->f = between(r, 0, 8);
    }
}

static void generate_tree(struct scenario *c, uint64_t *r)
{
    c->tree.kind = (enum ftc_tree_kind)random_below(r, 4);
    c->tree.k = between(r, 1, 4);
    c->tree.logp = (struct ftc_logp){between(r, 0, 4), between(r, 1, 3), between(r, 1, 3)};
}

static void generate_ops(struct scenario *c, uint64_t *r)
{
    c->op_count = one_in(r, 4) ? between(r, 1, SIM_MAX_OPS) : between(r, 1, 3);
    for (int i = 0; i < c->op_count; i++) {
        c->op[i].kind = one_in(r, 3) ? FTC_OP_REDUCE : FTC_OP_ALLREDUCE;
        c->op[i].root = c->op[i].kind == FTC_OP_REDUCE ? between(r, 0, c->n - 1) : 0;
        c->op[i].is_direct =
            c->op[i].kind == FTC_OP_REDUCE && c->n <= FTC_DIRECT_MOST && one_in(r, 3);
    }
}

/* One large operation among them, with as many tries as fit. */
static void generate_large(struct scenario *c, uint64_t *r)
{
    int first = between(r, 0, c->op_count - 1), tries = between(r, 2, 4);
    struct scenario_op op = {.kind = FTC_OP_ALLREDUCE,
                             .is_large = true,
                             .data = (enum ftc_schedule_kind)random_below(r, 3)};

    op.root = op.data == FTC_SCHEDULE_ALLREDUCE ? 0 : between(r, 0, c->n - 1);
    for (int i = first; i < SIM_MAX_OPS && i < first + tries; i++) {
        c->op[i] = op;
        op.is_further = true;
        c->op_count = i >= c->op_count ? i + 1 : c->op_count;
    }
}

/* Calls with rounds of blocks among them, one behind the other, each with so many rounds. */
static void generate_rounds(struct scenario *c, uint64_t *r)
{
    int first = between(r, 0, c->op_count - 1), rounds = between(r, 1, SIM_MAX_OPS);

    c->places = between(r, 1, SIM_MAX_PLACES);
    for (int i = first; i < SIM_MAX_OPS && i < first + rounds; i++) {
        c->op[i] = (struct scenario_op){.kind = FTC_OP_ALLREDUCE,
                                        .is_large = true,
                                        .is_in_rounds = true,
                                        .is_further = i > first && !one_in(r, 4)};
        c->op_count = i >= c->op_count ? i + 1 : c->op_count;
    }
}

/* A reduction in slices among them, with as many as there are operations left, or fewer. */
static void generate_slices(struct scenario *c, uint64_t *r)
{
    int first = between(r, 0, c->op_count - 1), most = between(r, SIM_SLICES, SIM_MAX_OPS);

    for (int i = first; i < SIM_MAX_OPS && i < first + most; i++) {
        c->op[i] = (struct scenario_op){
            .kind = FTC_OP_ALLREDUCE, .is_segmented = true, .is_further = i > first};
        c->op_count = i >= c->op_count ? i + 1 : c->op_count;
    }
}

static void generate_settings(struct scenario *c, uint64_t *r)
{
    c->scheme = (enum ftc_failure_scheme)random_below(r, 3);
    c->correction = one_in(r, 4) ? FTC_CORRECTION_RING : FTC_CORRECTION_GROUP;
    c->ring_distance = c->correction == FTC_CORRECTION_RING ? between(r, 0, 4) : 1;
    c->algorithm = one_in(r, 3) ? FTC_ALGORITHM_OPTIMISTIC : FTC_ALGORITHM_CORRECTED;
    c->deterministic = one_in(r, 2);
    c->overtaking = one_in(r, 8);
    c->late_publish = one_in(r, 2);
    c->eager_reads = one_in(r, 4);
    c->order = (enum scenario_order)random_below(r, SIM_ORDER_COUNT);
}

enum { TYPICAL_TURNS = 18 }; /* of a data phase */

/* Sends and turns of a process in the whole run, roughly. */
static int typical_sends(const struct scenario *c)
{
    int turns = 0;

    for (int i = 0; i < c->op_count; i++)
        turns += c->op[i].is_large ? TYPICAL_TURNS : 0;
    return c->op_count * (2 * c->f + 4) + turns;
}

static void add_crash(struct scenario *c, uint64_t *r, uint64_t ranks)
{
    struct scenario_crash *crash = &c->crash[c->crash_count];

    crash->ranks = ranks;
    crash->first = __builtin_ctzll(ranks);
    crash->before = one_in(r, 2);
    crash->sends = one_in(r, 6) ? 0 : between(r, 1, typical_sends(c));
    crash->before &= crash->sends > 0;
    c->crash_count++;
}

/* Up to @deaths ranks in a row: those of one host. */
static int lose_host(struct scenario *c, uint64_t *r, int deaths)
{
    int ranks = between(r, 1, deaths), first = between(r, 0, c->n - ranks);

    add_crash(c, r, ((1ull << ranks) - 1) << first);
    return ranks;
}

static void generate_crashes(struct scenario *c, uint64_t *r)
{
    int most = c->f < c->n - 1 ? c->f : c->n - 1, deaths;

    deaths = most > 0 && !one_in(r, 8) ? between(r, 1, most) : 0;
    if (one_in(r, 16))
        deaths = c->f + between(r, 1, 3);
    if (deaths > c->n)
        deaths = c->n;
    while (deaths > 0 && c->crash_count < SIM_MAX_CRASHES) {
        if (deaths > 1 && one_in(r, 6)) {
            deaths -= lose_host(c, r, deaths);
        } else if (one_in(r, 5)) {
            c->free_ranks |= 1ull << between(r, 0, c->n - 1);
            deaths--;
        } else {
            add_crash(c, r, 1ull << between(r, 0, c->n - 1));
            deaths--;
        }
    }
    c->free_crashes = __builtin_popcountll(c->free_ranks);
}

static int any_of(uint64_t *r, uint64_t ranks)
{
    for (int skip = between(r, 0, __builtin_popcountll(ranks) - 1); skip > 0; skip--)
        ranks &= ranks - 1;
    return __builtin_ctzll(ranks);
}

/* The whole host at once, or some of its ranks one by one. */
static void fail_host(struct scenario *c, uint64_t *r, uint64_t ranks)
{
    int deaths = one_in(r, 2) ? 0 : between(r, 1, __builtin_popcountll(ranks));
    int first = any_of(r, ranks);

    if (deaths == 0 && c->crash_count < SIM_MAX_CRASHES) {
        add_crash(c, r, ranks);
        c->crash[c->crash_count - 1].first = first;
    }
    for (int i = 0; i < deaths && c->crash_count < SIM_MAX_CRASHES; i++)
        add_crash(c, r, 1ull << any_of(r, ranks));
}

/* Round robin, in blocks of about one size, or anyhow. */
static void place_ranks(struct scenario *c, uint64_t *r, int hosts)
{
    int kind = between(r, 0, 2);

    scenario_deal_hosts(c, hosts);
    for (int rank = 0; kind > 0 && rank < c->n; rank++)
        c->host[rank] = (uint8_t)(kind == 1 ? rank * hosts / c->n : between(r, 0, hosts - 1));
}

/* In the place of the deaths so far: of up to f hosts, and now and then of more. */
static void generate_failing_hosts(struct scenario *c, uint64_t *r)
{
    int failures = c->f > 0 && !one_in(r, 8) ? between(r, 1, c->f) : 0;

    c->hosts_fail = true;
    c->crash_count = c->free_crashes = 0;
    c->free_ranks = 0;
    place_ranks(c, r, between(r, 1, 6));
    if (one_in(r, 16))
        failures = c->f + between(r, 1, 2);
    for (int i = 0; i < failures; i++)
        fail_host(c, r, scenario_ranks_on(c, c->host[between(r, 0, c->n - 1)]));
}

static bool has_large(const struct scenario *c)
{
    for (int i = 0; i < c->op_count; i++)
        if (c->op[i].is_large)
            return true;
    return false;
}

/* News of other hosts come by agents, some of which end while they enter them. */
static void generate_agents(struct scenario *c, uint64_t *r)
{
    int ends = one_in(r, 3) ? between(r, 1, SIM_MAX_AGENTS) : 0;

    c->has_agents = true;
    for (c->agent_count = 0; c->agent_count < ends; c->agent_count++)
        c->agent[c->agent_count] = (struct scenario_agent){
            .host = c->host[between(r, 0, c->n - 1)],
            .news = between(r, 1, 1 + c->crash_count),
            .when = (enum scenario_when)random_below(r, SIM_AFTER + 1),
        };
}

static void add_split(struct scenario *c, uint64_t *r)
{
    static const unsigned often[] = {
        1 << SIM_WAY_OUT | 1 << SIM_WAY_IN | 1 << SIM_WAY_UP | 1 << SIM_WAY_DOWN,
        1 << SIM_WAY_OUT | 1 << SIM_WAY_UP,
        1 << SIM_WAY_IN | 1 << SIM_WAY_DOWN,
        1 << SIM_WAY_UP | 1 << SIM_WAY_DOWN,
        1 << SIM_WAY_AGENT,
    };
    struct scenario_split *split = &c->split[c->split_count++];

    split->host = c->host[between(r, 0, c->n - 1)];
    split->ways = one_in(r, 3) ? 1 + random_below(r, (1 << SIM_WAYS) - 1)
                               : often[random_below(r, sizeof often / sizeof often[0])];
    split->rank = between(r, 0, c->n - 1);
    split->sends = between(r, 0, typical_sends(c) / 2);
    split->before = split->sends > 0 && one_in(r, 2);
    split->ticks = one_in(r, 3) ? 0 : between(r, 1, 8);
}

/* What is cut is a connection, which keeps the order. */
static void generate_splits(struct scenario *c, uint64_t *r)
{
    int splits = one_in(r, 3) ? between(r, 2, SIM_MAX_SPLITS) : 1;

    c->overtaking = false;
    while (c->split_count < splits)
        add_split(c, r);
}

void scenario_generate(struct scenario *c, uint64_t seed, uint64_t index)
{
    uint64_t state = seed, *r = &state;

    state = random_next(r) + index;
    state = random_next(r);
    scenario_default(c);
    generate_size(c, r);
    generate_tree(c, r);
    generate_ops(c, r);
    if (one_in(r, 4)) {
        if (one_in(r, 3))
            generate_rounds(c, r);
        else
            generate_large(c, r);
    }
    generate_settings(c, r);
    generate_crashes(c, r);
    c->seed = random_next(r) >> 32;
    scenario_deal_hosts(c, one_in(r, 2) ? between(r, 2, 5) : 1);
    c->blocks = one_in(r, 4);
    if (one_in(r, 3))
        generate_failing_hosts(c, r);
    c->are_far = one_in(r, 2);
    c->manner = (enum ftc_exchange_manner)between(r, 0, FTC_EXCHANGE_MANNERS - 1);
    if (scenario_hosts_among(c, ~0ull) > 1 && !has_large(c) && one_in(r, 2)) {
        generate_agents(c, r);
        if (one_in(r, 2))
            generate_splits(c, r);
    }
    if (!has_large(c) && one_in(r, 8)) /* last: so all other runs are what they were without */
        generate_slices(c, r);
}
