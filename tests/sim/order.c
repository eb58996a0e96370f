#include "order.h"

#include "random.h"

/* How often a process that may die at any instant does so while something else can happen. */
enum { ONE_CRASH_IN = 40 };

/* Chooses with probability in proportion to a weight of each event; none of weight 0 while there
 * are others. */
typedef unsigned (*weigher)(const struct sim_order *o, const struct sim *s, struct sim_event e);

static unsigned weigh_uniform(const struct sim_order *o, const struct sim *s, struct sim_event e)
{
    (void)o;
    (void)s;
    (void)e;
    return 1;
}

static bool is_news(struct sim_event e)
{
    return e.kind == SIM_EVENT_NEWS || e.kind == SIM_EVENT_TELL || e.kind == SIM_EVENT_LOSS;
}

static unsigned weigh_late_news(const struct sim_order *o, const struct sim *s, struct sim_event e)
{
    (void)o;
    (void)s;
    return !is_news(e);
}

static unsigned weigh_early_news(const struct sim_order *o, const struct sim *s, struct sim_event e)
{
    (void)o;
    (void)s;
    return is_news(e);
}

static unsigned weigh_slow(const struct sim_order *o, const struct sim *s, struct sim_event e)
{
    (void)s;
    return e.process != o->slow;
}

static unsigned weigh_race(const struct sim_order *o, const struct sim *s, struct sim_event e)
{
    uint64_t x = s->scenario.seed + e.process;

    (void)o;
    return 1u << random_next(&x) % 8;
}

static const weigher weigher_of[SIM_ORDER_COUNT] = {
    [SIM_ORDER_RANDOM] = weigh_uniform,
    [SIM_ORDER_LATE_NEWS] = weigh_late_news,
    [SIM_ORDER_EARLY_NEWS] = weigh_early_news,
    [SIM_ORDER_SLOW] = weigh_slow,
    [SIM_ORDER_RACE] = weigh_race,
};

static int oldest(const struct sim *s)
{
    int best = -1;

    for (int i = 0; i < s->event_count; i++)
        if (s->event[i].kind != SIM_EVENT_CRASH &&
            (best < 0 || s->event[i].since < s->event[best].since))
            best = i;
    return best;
}

static int weighted(struct sim_order *o, const struct sim *s, weigher weigh)
{
    unsigned total = 0;
    int chosen = -1;

    for (int i = 0; i < s->event_count; i++) {
        unsigned weight = s->event[i].kind == SIM_EVENT_CRASH ? 0 : weigh(o, s, s->event[i]);

        total += weight;
        if (weight > 0 && random_below(&o->state, total) < weight)
            chosen = i;
    }
    return chosen >= 0 ? chosen : weighted(o, s, weigh_uniform);
}

static int uniform(struct sim_order *o, const struct sim *s)
{
    for (;;) {
        int i = (int)random_below(&o->state, (unsigned)s->event_count);

        if (s->event[i].kind != SIM_EVENT_CRASH)
            return i;
    }
}

static int some_crash(struct sim_order *o, const struct sim *s)
{
    int which = (int)random_below(&o->state, (unsigned)s->crash_event_count);

    for (int i = 0;; i++)
        if (s->event[i].kind == SIM_EVENT_CRASH && which-- == 0)
            return i;
}

static int next_by_order(struct sim_order *o, const struct sim *s)
{
    if (s->crash_event_count > 0 && random_below(&o->state, ONE_CRASH_IN) == 0)
        return some_crash(o, s);
    switch (s->scenario.order) {
    case SIM_ORDER_OLDEST:
        return oldest(s);
    case SIM_ORDER_RANDOM:
        return uniform(o, s);
    default:
        return weighted(o, s, weigher_of[s->scenario.order]);
    }
}

static int choose_event(void *context, const struct sim *s)
{
    struct sim_order *o = context;

    if (o->used < s->scenario.choice_count) {
        int choice = s->scenario.choice[o->used++];

        return choice < s->event_count ? choice : s->event_count - 1;
    }
    return next_by_order(o, s);
}

static int choose_cut(void *context, const struct sim *s, int process, int sends)
{
    struct sim_order *o = context;

    (void)process;
    if (o->used < s->scenario.choice_count)
        return s->scenario.choice[o->used++];
    return random_below(&o->state, ONE_CRASH_IN) == 0
               ? 1 + (int)random_below(&o->state, (unsigned)sends)
               : -1;
}

struct sim_chooser sim_order_chooser(struct sim_order *o, const struct scenario *c)
{
    o->state = c->seed;
    o->used = 0;
    o->slow = (int)random_below(&o->state, (unsigned)c->n);
    return (struct sim_chooser){.event = choose_event, .cut = choose_cut, .context = o};
}

bool sim_run_scenario(struct sim *s, const struct scenario *c)
{
    struct sim_order o;
    struct sim_chooser chooser = sim_order_chooser(&o, c);

    sim_begin(s, c);
    return sim_run(s, &chooser);
}
