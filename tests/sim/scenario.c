#include "scenario.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const scheme_name[] = {"list", "count", "bit"};
static const char *const algorithm_name[] = {"corrected", "optimistic"};
static const char *const manner_name[FTC_EXCHANGE_MANNERS] = {"all", "collect", "tell"};
static const char *const order_name[] = {"oldest",     "random", "late_news",
                                         "early_news", "slow",   "race"};
static const char when_letter[] = "bma";  /* by enum scenario_when */
static const char way_letter[] = "oiudp"; /* by enum scenario_way */

static uint64_t all_ranks(int n)
{
    return n == 64 ? ~0ull : (1ull << n) - 1;
}

void scenario_default(struct scenario *c)
{
    memset(c, 0, offsetof(struct scenario, choice));
    c->n = 4;
    c->f = 1;
    c->op_count = 1;
    c->places = 1;
    c->op[0].kind = FTC_OP_REDUCE;
    c->ring_distance = 1;
    c->deterministic = true;
}

void scenario_deal_hosts(struct scenario *c, int hosts)
{
    for (int rank = 0; rank < SIM_MAX_N; rank++)
        c->host[rank] = (uint8_t)(rank % hosts);
}

uint64_t scenario_ranks_on(const struct scenario *c, int host)
{
    uint64_t ranks = 0;

    for (int rank = 0; rank < c->n; rank++)
        if (c->host[rank] == host)
            ranks |= 1ull << rank;
    return ranks;
}

int scenario_hosts_among(const struct scenario *c, uint64_t ranks)
{
    uint64_t hosts = 0;

    for (int rank = 0; rank < c->n; rank++)
        hosts |= (ranks >> rank & 1) << c->host[rank];
    return __builtin_popcountll(hosts);
}

bool scenario_is_tolerable(const struct scenario *c, uint64_t members, uint64_t dead)
{
    int lost = scenario_hosts_among(c, dead & members);

    return __builtin_popcountll(dead & members) <= c->f ||
           (c->hosts_fail && lost <= c->f && lost < scenario_hosts_among(c, members));
}

static int find_name(const char *const *names, int count, const char *value)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], value) == 0)
            return i;
    return -1;
}

static int parse_name(const char *const *names, int count, const char *value, void *field)
{
    int i = find_name(names, count, value);

    if (i < 0)
        return -1;
    *(unsigned *)field = (unsigned)i; /* an enum */
    return 0;
}

static int parse_int(const char *value, int least, int most, int *field)
{
    char *end;
    long number = strtol(value, &end, 10);

    if (end == value || *end != '\0' || number < least || number > most)
        return -1;
    *field = (int)number;
    return 0;
}

static int parse_choice(const char *value, const char *no, const char *yes, bool *field)
{
    *field = strcmp(value, yes) == 0;
    return *field || strcmp(value, no) == 0 ? 0 : -1;
}

static int parse_tree(struct scenario *c, const char *value)
{
    struct ftc_logp *p = &c->tree.logp;

    c->tree = (struct ftc_tree_shape){.kind = FTC_TREE_BINOMIAL};
    if (strcmp(value, "binomial") == 0)
        return 0;
    if (sscanf(value, "kary:%d", &c->tree.k) == 1) {
        c->tree.kind = FTC_TREE_KARY;
        return c->tree.k >= 1 ? 0 : -1;
    }
    if (sscanf(value, "lame:%d", &c->tree.k) == 1) {
        c->tree.kind = FTC_TREE_LAME;
        return c->tree.k >= 1 ? 0 : -1;
    }
    c->tree.kind = FTC_TREE_OPTIMAL;
    return sscanf(value, "optimal:%d:%d:%d", &p->L, &p->o, &p->g) == 3 && p->L >= 0 && p->o >= 1 &&
                   p->g >= 1
               ? 0
               : -1;
}

static int parse_correction(struct scenario *c, const char *value)
{
    c->correction = FTC_CORRECTION_GROUP;
    if (strcmp(value, "group") == 0)
        return 0;
    c->correction = FTC_CORRECTION_RING;
    return sscanf(value, "ring:%d", &c->ring_distance) == 1 && c->ring_distance >= 0 ? 0 : -1;
}

static int parse_large_op(struct scenario_op *op, const char *item)
{
    *op = (struct scenario_op){.kind = FTC_OP_ALLREDUCE, .is_large = true};
    if (*item == '\0')
        return 0;
    op->data = *item == 'B' ? FTC_SCHEDULE_BROADCAST : FTC_SCHEDULE_REDUCE;
    return *item == 'B' || *item == 'R' ? parse_int(item + 1, 0, SIM_MAX_N - 1, &op->root) : -1;
}

static int parse_further_try(struct scenario_op *op, bool is_first)
{
    if (is_first || !(op[-1].is_large || op[-1].is_segmented))
        return -1;
    *op = op[-1];
    op->is_further = true;
    return 0;
}

static int parse_op(struct scenario *c, char *item)
{
    struct scenario_op *op = &c->op[c->op_count];

    if (c->op_count == SIM_MAX_OPS)
        return -1;
    c->op_count++;
    if (item[0] == 'L')
        return parse_large_op(op, item + 1);
    if (strcmp(item, "P") == 0) {
        *op =
            (struct scenario_op){.kind = FTC_OP_ALLREDUCE, .is_large = true, .is_in_rounds = true};
        return 0;
    }
    if (strcmp(item, "S") == 0) {
        *op = (struct scenario_op){.kind = FTC_OP_ALLREDUCE, .is_segmented = true};
        return 0;
    }
    if (strcmp(item, "T") == 0)
        return parse_further_try(op, c->op_count == 1);
    *op = (struct scenario_op){.kind = item[0] == 'A' ? FTC_OP_ALLREDUCE : FTC_OP_REDUCE,
                               .is_direct = item[0] == 'D'};
    if (item[0] == 'A')
        return item[1] == '\0' ? 0 : -1;
    return item[0] == 'R' || op->is_direct ? parse_int(item + 1, 0, SIM_MAX_N - 1, &op->root) : -1;
}

static int parse_ranks(char *list, uint64_t *ranks, int *first)
{
    char *rest;

    *ranks = 0;
    *first = -1;
    for (char *item = strtok_r(list, "+", &rest); item; item = strtok_r(NULL, "+", &rest)) {
        int rank;

        if (parse_int(item, 0, SIM_MAX_N - 1, &rank) != 0)
            return -1;
        *ranks |= 1ull << rank;
        *first = *first < 0 ? rank : *first;
    }
    return *ranks ? 0 : -1;
}

static int parse_crash(struct scenario *c, char *item)
{
    char *at = strchr(item, '@');
    struct scenario_crash *crash = &c->crash[c->crash_count];
    uint64_t ranks;
    int first;

    if (strncmp(item, "any:", 4) == 0) {
        c->free_ranks = ~0ull; /* cut to n at the end */
        return parse_int(item + 4, 0, SIM_MAX_N, &c->free_crashes);
    }
    if (!at)
        return -1;
    *at = '\0';
    if (parse_ranks(item, &ranks, &first) != 0)
        return -1;
    if (strcmp(at + 1, "any") == 0) {
        c->free_ranks |= ranks;
        c->free_crashes += __builtin_popcountll(ranks);
        return 0;
    }
    if (c->crash_count == SIM_MAX_CRASHES || (at[1] != 'a' && at[1] != 'b'))
        return -1;
    *crash = (struct scenario_crash){.ranks = ranks, .first = first, .before = at[1] == 'b'};
    c->crash_count++;
    return parse_int(at + 2, crash->before ? 1 : 0, 1 << 20, &crash->sends);
}

static int parse_when(char letter, enum scenario_when *when)
{
    const char *at = letter ? strchr(when_letter, letter) : NULL;

    if (!at)
        return -1;
    *when = (enum scenario_when)(at - when_letter);
    return 0;
}

static int parse_agent(struct scenario *c, char *item)
{
    struct scenario_agent *a = &c->agent[c->agent_count];
    char *at = strchr(item, '@');

    if (c->agent_count == SIM_MAX_AGENTS || !at)
        return -1;
    *at = '\0';
    c->agent_count++;
    c->has_agents = true;
    if (parse_when(at[1], &a->when) != 0 || parse_int(item, 0, SIM_MAX_N - 1, &a->host) != 0)
        return -1;
    return parse_int(at + 2, 1, 1 << 20, &a->news);
}

static int parse_ways(const char *letters, unsigned *ways)
{
    *ways = 0;
    for (; *letters; letters++) {
        const char *way = strchr(way_letter, *letters);

        if (!way)
            return -1;
        *ways |= 1u << (way - way_letter);
    }
    return *ways ? 0 : -1;
}

static int parse_split_begin(struct scenario_split *split, char *value)
{
    size_t digits = strspn(value, "0123456789");
    char letter = value[digits];

    value[digits] = '\0';
    split->before = letter == 'b';
    if (parse_int(value, 0, SIM_MAX_N - 1, &split->rank) != 0 || (letter != 'a' && letter != 'b'))
        return -1;
    return parse_int(value + digits + 1, split->before ? 1 : 0, 1 << 20, &split->sends);
}

static int parse_split(struct scenario *c, char *item)
{
    struct scenario_split *split = &c->split[c->split_count];
    size_t digits = strspn(item, "0123456789");
    char *at = strchr(item, '@'), *plus = strchr(item, '+'), number[8] = "";

    if (c->split_count == SIM_MAX_SPLITS || !at || digits == 0 || digits >= sizeof number)
        return -1;
    c->split_count++;
    c->has_agents = true;
    memcpy(number, item, digits);
    *at = '\0';
    *split = (struct scenario_split){0};
    if (plus) {
        *plus = '\0';
        if (parse_int(plus + 1, 1, 1 << 20, &split->ticks) != 0)
            return -1;
    }
    if (parse_int(number, 0, SIM_MAX_N - 1, &split->host) != 0 ||
        parse_ways(item + digits, &split->ways) != 0)
        return -1;
    return parse_split_begin(split, at + 1);
}

static int parse_hosts(struct scenario *c, char *value)
{
    int rank = 0, host;
    char *rest;

    if (!strchr(value, '.')) {
        if (parse_int(value, 1, SIM_MAX_N, &host) != 0)
            return -1;
        scenario_deal_hosts(c, host);
        return 0;
    }
    for (char *item = strtok_r(value, ".", &rest); item; item = strtok_r(NULL, ".", &rest)) {
        if (rank == SIM_MAX_N || parse_int(item, 0, SIM_MAX_N - 1, &host) != 0)
            return -1;
        c->host[rank++] = (uint8_t)host;
    }
    return 0;
}

static int parse_replayed(struct scenario *c, char *item)
{
    int number;

    if (c->choice_count == SIM_MAX_CHOICES || parse_int(item, -1, INT16_MAX, &number) != 0)
        return -1;
    c->choice[c->choice_count++] = (int16_t)number;
    return 0;
}

static int parse_list(struct scenario *c, char *value, const char *separator,
                      int (*parse_item)(struct scenario *, char *))
{
    char *rest;

    for (char *item = strtok_r(value, separator, &rest); item;
         item = strtok_r(NULL, separator, &rest))
        if (parse_item(c, item) != 0)
            return -1;
    return 0;
}

static int parse_pair(struct scenario *c, const char *key, char *value)
{
    if (strcmp(key, "n") == 0)
        return parse_int(value, 1, SIM_MAX_N, &c->n);
    if (strcmp(key, "f") == 0)
        return parse_int(value, 0, SIM_MAX_N, &c->f);
    if (strcmp(key, "ops") == 0) {
        c->op_count = 0;
        return parse_list(c, value, ",", parse_op);
    }
    if (strcmp(key, "scheme") == 0)
        return parse_name(scheme_name, 3, value, &c->scheme);
    if (strcmp(key, "tree") == 0)
        return parse_tree(c, value);
    if (strcmp(key, "corr") == 0)
        return parse_correction(c, value);
    if (strcmp(key, "alg") == 0)
        return parse_name(algorithm_name, 2, value, &c->algorithm);
    if (strcmp(key, "det") == 0)
        return parse_choice(value, "0", "1", &c->deterministic);
    if (strcmp(key, "channels") == 0)
        return parse_choice(value, "fifo", "any", &c->overtaking);
    if (strcmp(key, "publish") == 0)
        return parse_choice(value, "now", "late", &c->late_publish);
    if (strcmp(key, "value") == 0)
        return parse_choice(value, "sums", "blocks", &c->blocks);
    if (strcmp(key, "reads") == 0)
        return parse_choice(value, "needed", "eager", &c->eager_reads);
    if (strcmp(key, "hosts") == 0)
        return parse_hosts(c, value);
    if (strcmp(key, "far") == 0)
        return parse_choice(value, "0", "1", &c->are_far);
    if (strcmp(key, "domain") == 0)
        return parse_choice(value, "rank", "host", &c->hosts_fail);
    if (strcmp(key, "exchange") == 0)
        return parse_name(manner_name, FTC_EXCHANGE_MANNERS, value, &c->manner);
    if (strcmp(key, "places") == 0)
        return parse_int(value, 1, SIM_MAX_PLACES, &c->places);
    if (strcmp(key, "agents") == 0)
        return parse_choice(value, "0", "1", &c->has_agents);
    if (strcmp(key, "agent") == 0)
        return parse_list(c, value, ",", parse_agent);
    if (strcmp(key, "split") == 0)
        return parse_list(c, value, ",", parse_split);
    if (strcmp(key, "crash") == 0)
        return parse_list(c, value, ",", parse_crash);
    if (strcmp(key, "order") == 0)
        return parse_name(order_name, SIM_ORDER_COUNT, value, &c->order);
    if (strcmp(key, "choices") == 0)
        return parse_list(c, value, ".", parse_replayed);
    if (strcmp(key, "seed") == 0) {
        c->seed = strtoull(value, NULL, 10);
        return 0;
    }
    return -1;
}

static int check_hosts(const struct scenario *c)
{
    for (int i = 0; i < c->op_count; i++)
        if (c->has_agents && c->op[i].is_large)
            return -1;
    for (int i = 0; i < c->agent_count; i++)
        if (scenario_ranks_on(c, c->agent[i].host) == 0)
            return -1;
    for (int i = 0; i < c->split_count; i++)
        if (scenario_ranks_on(c, c->split[i].host) == 0 || c->split[i].rank >= c->n ||
            c->overtaking)
            return -1;
    return 0;
}

static int check_ranks(struct scenario *c)
{
    uint64_t known = all_ranks(c->n);

    c->free_ranks &= known;
    for (int i = 0; i < c->op_count; i++)
        if (c->op[i].root >= c->n || (c->op[i].is_direct && c->n > FTC_DIRECT_MOST))
            return -1;
    for (int i = 0; i < c->crash_count; i++)
        if (c->crash[i].ranks & ~known)
            return -1;
    return c->op_count > 0 ? check_hosts(c) : -1;
}

int scenario_parse(struct scenario *c, const char *line)
{
    char *copy = strdup(line), *rest;
    int rv = 0;

    scenario_default(c);
    for (char *item = strtok_r(copy, " \n", &rest); item; item = strtok_r(NULL, " \n", &rest)) {
        char *value = strchr(item, '=');

        if (value)
            *value++ = '\0';
        if (!value || parse_pair(c, item, value) != 0) {
            fprintf(stderr, "scenario: cannot read \"%s\" in: %s\n", item, line);
            rv = -1;
            goto out;
        }
    }
    rv = check_ranks(c);
    if (rv != 0)
        fprintf(stderr,
                "scenario: rank outside 0..%d, host without any, no operation, a large one with "
                "agents, a direct one of too many, or a split that is overtaken in: %s\n",
                c->n - 1, line);
out:
    free(copy);
    return rv;
}

/* ---- printing ---- */

struct text {
    char *line;
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
    va_list args;
    int written;

    va_start(args, format);
    written = vsnprintf(t->line + t->used, SIM_LINE_CHARS - t->used, format, args);
    va_end(args);
    t->used += (size_t)written;
    if (t->used >= SIM_LINE_CHARS)
        t->used = SIM_LINE_CHARS - 1;
}

static void add_ranks(struct text *t, uint64_t ranks)
{
    const char *separator = "";

    for (int rank = 0; rank < SIM_MAX_N; rank++)
        if (ranks >> rank & 1) {
            add(t, "%s%d", separator, rank);
            separator = "+";
        }
}

static void add_ops(struct text *t, const struct scenario *c)
{
    for (int i = 0; i < c->op_count; i++) {
        add(t, "%s", i == 0 ? " ops=" : ",");
        if (c->op[i].is_further)
            add(t, "T");
        else if (c->op[i].is_in_rounds)
            add(t, "P");
        else if (c->op[i].is_segmented)
            add(t, "S");
        else if (c->op[i].is_large && c->op[i].data == FTC_SCHEDULE_ALLREDUCE)
            add(t, "L");
        else if (c->op[i].is_large)
            add(t, "L%c%d", c->op[i].data == FTC_SCHEDULE_BROADCAST ? 'B' : 'R', c->op[i].root);
        else if (c->op[i].kind == FTC_OP_ALLREDUCE)
            add(t, "A");
        else
            add(t, "%c%d", c->op[i].is_direct ? 'D' : 'R', c->op[i].root);
    }
}

static void add_tree(struct text *t, const struct ftc_tree_shape *tree)
{
    switch (tree->kind) {
    case FTC_TREE_BINOMIAL:
        add(t, " tree=binomial");
        break;
    case FTC_TREE_KARY:
        add(t, " tree=kary:%d", tree->k);
        break;
    case FTC_TREE_LAME:
        add(t, " tree=lame:%d", tree->k);
        break;
    case FTC_TREE_OPTIMAL:
        add(t, " tree=optimal:%d:%d:%d", tree->logp.L, tree->logp.o, tree->logp.g);
        break;
    }
}

static void add_hosts(struct text *t, const struct scenario *c)
{
    bool is_one = true;

    for (int rank = 1; rank < c->n; rank++)
        is_one = is_one && c->host[rank] == c->host[0];
    for (int rank = 0; !is_one && rank < c->n; rank++)
        add(t, "%s%d", rank == 0 ? " hosts=" : ".", c->host[rank]);
}

static void add_crashes(struct text *t, const struct scenario *c)
{
    const char *separator = " crash=";

    for (int i = 0; i < c->crash_count; i++) {
        uint64_t others = c->crash[i].ranks & ~(1ull << c->crash[i].first);

        add(t, "%s%d%s", separator, c->crash[i].first, others ? "+" : "");
        add_ranks(t, others);
        add(t, "@%c%d", c->crash[i].before ? 'b' : 'a', c->crash[i].sends);
        separator = ",";
    }
    if (c->free_crashes == 0)
        return;
    add(t, "%s", separator);
    if (c->free_crashes < __builtin_popcountll(c->free_ranks)) {
        add(t, "any:%d", c->free_crashes);
    } else {
        add_ranks(t, c->free_ranks);
        add(t, "@any");
    }
}

static void add_agents(struct text *t, const struct scenario *c)
{
    if (c->has_agents)
        add(t, " agents=1");
    for (int i = 0; i < c->agent_count; i++)
        add(t, "%s%d@%c%d", i == 0 ? " agent=" : ",", c->agent[i].host,
            when_letter[c->agent[i].when], c->agent[i].news);
}

static void add_splits(struct text *t, const struct scenario *c)
{
    for (int i = 0; i < c->split_count; i++) {
        const struct scenario_split *split = &c->split[i];

        add(t, "%s%d", i == 0 ? " split=" : ",", split->host);
        for (int way = 0; way < SIM_WAYS; way++)
            if (split->ways >> way & 1)
                add(t, "%c", way_letter[way]);
        add(t, "@%d%c%d", split->rank, split->before ? 'b' : 'a', split->sends);
        if (split->ticks > 0)
            add(t, "+%d", split->ticks);
    }
}

void scenario_print(const struct scenario *c, char line[SIM_LINE_CHARS])
{
    struct text t = {.line = line};

    add(&t, "n=%d f=%d", c->n, c->f);
    add_ops(&t, c);
    add(&t, " scheme=%s", scheme_name[c->scheme]);
    add_tree(&t, &c->tree);
    if (c->correction == FTC_CORRECTION_GROUP)
        add(&t, " corr=group");
    else
        add(&t, " corr=ring:%d", c->ring_distance);
    add(&t, " alg=%s det=%d channels=%s publish=%s reads=%s", algorithm_name[c->algorithm],
        c->deterministic, c->overtaking ? "any" : "fifo", c->late_publish ? "late" : "now",
        c->eager_reads ? "eager" : "needed");
    if (c->blocks)
        add(&t, " value=blocks");
    add_hosts(&t, c);
    if (c->are_far)
        add(&t, " far=1");
    if (c->hosts_fail)
        add(&t, " domain=host");
    if (c->manner != FTC_EXCHANGE_BY_ALL)
        add(&t, " exchange=%s", manner_name[c->manner]);
    if (c->places != 1)
        add(&t, " places=%d", c->places);
    add_agents(&t, c);
    add_splits(&t, c);
    add_crashes(&t, c);
    add(&t, " order=%s seed=%llu", order_name[c->order], (unsigned long long)c->seed);
    for (int i = 0; i < c->choice_count; i++)
        add(&t, "%s%d", i == 0 ? " choices=" : ".", c->choice[i]);
}
