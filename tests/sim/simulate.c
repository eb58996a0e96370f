/* simulate: runs the engine in a simulated cluster. See usage(). */
#include "explore.h"
#include "order.h"

#include <stdlib.h>
#include <string.h>

static int usage(void)
{
    fputs("simulate 'n=4 f=1 ops=A,R2 ...'              one run, in words\n"
          "simulate --random RUNS [--seed S] [--jobs J] random runs\n"
          "simulate --exhaustive reduce|allreduce|large|hosts|splits [--small] [--jobs J]\n"
          "                                             all crash points of small clusters\n"
          "simulate --interleavings [--small] [--jobs J]\n"
          "simulate --interleavings LINE                all orders of events of small clusters\n",
          stderr);
    return 2;
}

static int replay(const char *line)
{
    struct scenario c;
    struct sim s = {.trace = stdout};
    bool right;

    if (scenario_parse(&c, line) != 0)
        return 2;
    right = sim_run_scenario(&s, &c);
    printf("%s after %u events, %u messages\n", right ? "every rule kept" : s.violation, s.steps,
           s.deliveries);
    sim_close(&s);
    return right ? 0 : 1;
}

struct options {
    uint64_t runs, seed;
    int jobs;
    const char *exhaustive, *line;
    bool interleavings, small;
};

static int parse_options(struct options *o, int count, char **word)
{
    for (int i = 0; i < count; i++) {
        const char *value = i + 1 < count ? word[i + 1] : NULL;

        if (strcmp(word[i], "--interleavings") == 0) {
            o->interleavings = true;
        } else if (strcmp(word[i], "--small") == 0) {
            o->small = true;
        } else if (word[i][0] != '-') {
            o->line = word[i];
        } else if (!value) {
            return -1;
        } else {
            if (strcmp(word[i], "--random") == 0)
                o->runs = strtoull(value, NULL, 10);
            else if (strcmp(word[i], "--seed") == 0)
                o->seed = strtoull(value, NULL, 10);
            else if (strcmp(word[i], "--jobs") == 0)
                o->jobs = atoi(value);
            else if (strcmp(word[i], "--exhaustive") == 0)
                o->exhaustive = value;
            else
                return -1;
            i++;
        }
    }
    return o->jobs >= 1 ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct options o = {.seed = 1, .jobs = 1};

    if (parse_options(&o, argc - 1, argv + 1) != 0)
        return usage();
    if (o.line && !o.interleavings)
        return replay(o.line);
    if (o.runs)
        return explore_random(o.runs, o.seed, o.jobs);
    if (o.exhaustive && strcmp(o.exhaustive, "reduce") == 0)
        return explore_crash_points(FTC_OP_REDUCE, o.small, o.jobs);
    if (o.exhaustive && strcmp(o.exhaustive, "allreduce") == 0)
        return explore_crash_points(FTC_OP_ALLREDUCE, o.small, o.jobs);
    if (o.exhaustive && strcmp(o.exhaustive, "large") == 0)
        return explore_large_crash_points(o.small, o.jobs);
    if (o.exhaustive && strcmp(o.exhaustive, "hosts") == 0)
        return explore_failing_hosts(o.small, o.jobs);
    if (o.exhaustive && strcmp(o.exhaustive, "splits") == 0)
        return explore_splits(o.small, o.jobs);
    if (o.interleavings && o.line)
        return explore_interleavings_of(o.line);
    if (o.interleavings)
        return explore_interleavings(o.small, o.jobs);
    return usage();
}
