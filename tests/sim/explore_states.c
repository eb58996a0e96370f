/* All interleavings: depth-first through every choice of the next event and of the instant of each
 * death, with a set of the states seen so far. A state is reached again by running the choices that
 * led to it.
 *
 * Two kinds of events need no choice: a message of an operation or attempt that is over changes
 * nothing, so it is taken at once; one of an operation or attempt to come would only be kept, so it
 * stays under way until its receiver has got as far. Whatever can happen afterwards can happen
 * either way.
 */
#include "internal.h"
#include "state.h"
#include "workers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- states seen so far ---- */

struct seen {
    uint64_t *hash; /* 0: free */
    size_t count, capacity;
};

static bool insert(struct seen *seen, uint64_t hash)
{
    size_t i = hash & (seen->capacity - 1);

    while (seen->hash[i] && seen->hash[i] != hash)
        i = (i + 1) & (seen->capacity - 1);
    if (seen->hash[i] == hash)
        return false;
    seen->hash[i] = hash;
    seen->count++;
    return true;
}

static void grow(struct seen *seen)
{
    struct seen old = *seen;

    seen->capacity = old.capacity ? 2 * old.capacity : 1 << 16;
    seen->count = 0;
    seen->hash = calloc(seen->capacity, sizeof *seen->hash);
    assert(seen->hash);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.hash[i])
            insert(seen, old.hash[i]);
    free(old.hash);
}

/* True if @hash is new. */
static bool see(struct seen *seen, uint64_t hash)
{
    if (2 * seen->count >= seen->capacity)
        grow(seen);
    return insert(seen, hash);
}

/* ---- the path of choices ---- */

enum { MOST_OPTIONS = 96 };

struct decision {
    int16_t option[MOST_OPTIONS];
    int count, current;
};

struct search {
    struct seen seen;
    struct decision *path; /* SIM_MAX_CHOICES */
    int length, position;
    struct explore_total *total;
};

enum timing { OVER, NOW, TO_COME };

static enum timing timing_of(const struct sim *s, int32_t message)
{
    const struct sim_process *p = &s->process[s->message[message].to];
    struct ftc_message_header h;
    int over = p->seq + (p->stage == SIM_STAGE_LEAVING);

    memcpy(&h, sim_network_wire(s, message), sizeof h);
    if ((int)h.envelope.seq != over)
        return (int)h.envelope.seq < over ? OVER : TO_COME;
    if (p->stage != SIM_STAGE_RUNNING)
        return TO_COME;
    if (h.attempt != p->op.attempt)
        return h.attempt < p->op.attempt ? OVER : TO_COME;
    return NOW;
}

static void add_option(struct decision *d, int option)
{
    assert(d->count < MOST_OPTIONS);
    d->option[d->count++] = (int16_t)option;
}

static enum timing timing_of_event(const struct sim *s, int i)
{
    return s->event[i].kind == SIM_EVENT_DELIVER ? timing_of(s, s->event[i].message) : NOW;
}

static void list_only(struct decision *d, int option)
{
    d->option[0] = (int16_t)option;
    d->count = 1;
}

/* If nothing but deaths can happen now, what is under way for later is delivered all the same, so
 * that the run comes to its end without a death too. */
static void list_events(struct decision *d, const struct sim *s)
{
    bool waits = true;

    d->count = d->current = 0;
    for (int i = 0; i < s->event_count; i++) {
        enum timing timing = timing_of_event(s, i);

        if (timing == OVER) {
            list_only(d, i);
            return;
        }
        if (timing == NOW) {
            add_option(d, i);
            waits = waits && s->event[i].kind == SIM_EVENT_CRASH;
        }
    }
    for (int i = 0; waits && i < s->event_count; i++)
        if (timing_of_event(s, i) == TO_COME) {
            add_option(d, i);
            waits = false;
        }
}

static struct decision *new_decision(struct search *search)
{
    assert(search->length < SIM_MAX_CHOICES);
    search->position++;
    return &search->path[search->length++];
}

static int choose_event(void *context, const struct sim *s)
{
    struct search *search = context;
    struct decision *d;

    if (search->position < search->length) {
        d = &search->path[search->position++];
        return d->option[d->current];
    }
    if (!see(&search->seen, sim_state_hash(s)))
        return -1;
    d = new_decision(search);
    list_events(d, s);
    return d->option[0];
}

/* Death before all sends is a death before the step; after all, one after it, unless the step ends
 * the operation. */
static int choose_cut(void *context, const struct sim *s, int process, int sends)
{
    struct search *search = context;
    struct decision *d;

    if (search->position < search->length) {
        d = &search->path[search->position++];
        return d->option[d->current];
    }
    d = new_decision(search);
    d->count = d->current = 0;
    add_option(d, -1);
    for (int cut = 1; cut < sends + ftc_op_is_done(&s->process[process].op); cut++)
        add_option(d, cut);
    return -1;
}

/* Goes to the next path; false if there is none. */
static bool backtrack(struct search *search)
{
    while (search->length > 0) {
        struct decision *d = &search->path[search->length - 1];

        if (++d->current < d->count)
            return true;
        search->length--;
    }
    return false;
}

static void report(const struct search *search, const struct sim *s)
{
    struct scenario c = s->scenario;

    for (c.choice_count = 0; c.choice_count < search->position; c.choice_count++) {
        const struct decision *d = &search->path[c.choice_count];

        c.choice[c.choice_count] = d->option[d->current];
    }
    explore_report(&c, s->violation);
}

static bool search_all(struct search *search, struct sim *s, const struct scenario *c)
{
    struct sim_chooser chooser = {choose_event, choose_cut, search};

    do {
        search->position = 0;
        sim_begin(s, c);
        if (!sim_run(s, &chooser)) {
            report(search, s);
            return false;
        }
        search->total->runs++;
    } while (backtrack(search));
    return true;
}

static void explore_case(const struct scenario *c, struct explore_total *total)
{
    struct search search = {.total = total};
    struct sim s = {0};

    search.path = malloc(SIM_MAX_CHOICES * sizeof *search.path);
    assert(search.path);
    total->failed += !search_all(&search, &s, c);
    total->states += search.seen.count;
    total->cases++;
    free(search.path);
    free(search.seen.hash);
    sim_close(&s);
}

static void print_total(const char *name, const struct explore_total *t)
{
    printf("%s: %llu cases, %llu states, %llu paths, %llu failed\n", name,
           (unsigned long long)t->cases, (unsigned long long)t->states, (unsigned long long)t->runs,
           (unsigned long long)t->failed);
    fflush(stdout);
}

int explore_interleavings_of(const char *line)
{
    struct explore_total total = {0};
    struct scenario c;

    if (scenario_parse(&c, line) != 0)
        return 2;
    if (c.has_agents) {
        fprintf(stderr, "interleavings: a state here has no boards of hosts: %s\n", line);
        return 2;
    }
    explore_case(&c, &total);
    print_total(line, &total);
    return total.failed == 0 ? 0 : 1;
}

/* ---- the list ---- */

/* With the deaths at every instant; more than f of them too. */
static const struct part {
    const char *line;
    bool small;
} parts[] = {
    {"n=3 f=1 ops=R0 crash=any:1", true},
    {"n=3 f=1 ops=R2 crash=any:2", true},
    {"n=4 f=1 ops=R0 crash=any:1", true},
    {"n=4 f=2 ops=R1 crash=any:2", false},
    {"n=4 f=1 ops=D0 crash=any:2", true},
    {"n=3 f=1 ops=D2,D0,A crash=any:1", true},
    {"n=5 f=1 ops=D1,A crash=any:1", false},
    {"n=2 f=1 ops=A,A crash=any:1", true},
    {"n=3 f=1 ops=A crash=any:1", true},
    {"n=3 f=1 ops=A crash=any:2", true},
    {"n=3 f=1 ops=A,R1,A crash=any:1", false},
    {"n=3 f=2 ops=A crash=any:2", true},
    {"n=4 f=1 ops=A crash=any:1", false},
    {"n=3 f=1 ops=A exchange=collect crash=any:1", true},
    {"n=3 f=1 ops=A,A exchange=collect crash=any:1", false},
    {"n=3 f=1 ops=A exchange=tell crash=any:1", true},
    {"n=3 f=1 ops=A,A exchange=tell crash=any:1", false},
    {"n=4 f=1 ops=A hosts=0.0.1.1 crash=any:1", false},
    {"n=4 f=1 ops=A crash=any:2", false},
    {"n=4 f=1 ops=A,A crash=any:1", false},
    {"n=2 f=1 ops=L,T,A crash=any:1", true},
    {"n=3 f=1 ops=L,T crash=any:1", true},
    {"n=3 f=1 ops=LR1,T crash=any:1", false},
    {"n=3 f=1 ops=LB2,T crash=any:1", false},
    {"n=2 f=1 ops=P,T,T,P crash=any:1", true},
    {"n=3 f=1 ops=P,P crash=any:1", false},
    {"n=2 f=1 ops=S,T,T,T,T,A crash=any:1", true},
    {"n=3 f=1 ops=S,T,T,T,T crash=any:1", true},
    {"n=3 f=2 ops=S,T,T,T,T,T,T crash=any:2", false},
    {"n=4 f=2 ops=A crash=any:2", false},
    {"n=5 f=1 ops=A crash=any:1", false},
};

/* The settings that make a difference, in one number. */
enum { REDUCE_VARIANTS = 6, ALLREDUCE_VARIANTS = 48 };

static void set_variant(struct scenario *c, int variant)
{
    c->scheme = (enum ftc_failure_scheme)(variant % 3);
    c->deterministic = variant / 3 % 2;
    c->algorithm = variant / 6 % 2 ? FTC_ALGORITHM_OPTIMISTIC : FTC_ALGORITHM_CORRECTED;
    c->correction = variant / 12 % 2 ? FTC_CORRECTION_RING : FTC_CORRECTION_GROUP;
    c->late_publish = c->eager_reads = variant / 24 % 2;
}

static void work(int job, int jobs, struct explore_total *total, const void *context)
{
    struct scenario c = *(const struct scenario *)context;
    int variants = c.op[0].kind == FTC_OP_REDUCE ? REDUCE_VARIANTS : ALLREDUCE_VARIANTS;

    for (int variant = job; variant < variants && total->failed == 0; variant += jobs) {
        set_variant(&c, variant);
        explore_case(&c, total);
    }
}

int explore_interleavings(bool small, int jobs)
{
    struct explore_total sum = {0};
    int rv = 0;

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        struct explore_total part;
        struct scenario c;

        if (small && !parts[i].small)
            continue;
        if (scenario_parse(&c, parts[i].line) != 0)
            return 2;
        rv |= workers_run(work, jobs, 0, &c, &part);
        print_total(parts[i].line, &part);
        explore_total_add(&sum, &part);
    }
    print_total("all interleavings", &sum);
    return rv;
}
