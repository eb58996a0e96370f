/* Random exploration: any size, setting, order and crash that scenario_generate() knows. */
#include "generate.h"
#include "workers.h"

#include <time.h>

struct request {
    uint64_t runs, seed;
};

static void work(int job, int jobs, struct explore_total *total, const void *context)
{
    const struct request *r = context;
    struct sim s = {0};
    struct scenario c;
    bool right = true;

    for (uint64_t i = (uint64_t)job; i < r->runs && right; i += (uint64_t)jobs) {
        scenario_generate(&c, r->seed, i);
        right = explore_run(&s, &c, total, NULL);
    }
    sim_close(&s);
}

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int explore_random(uint64_t runs, uint64_t seed, int jobs)
{
    struct request r = {.runs = runs, .seed = seed};
    struct explore_total sum;
    double start_s = now_s(), took_s;
    int rv = workers_run(work, jobs, runs, &r, &sum);

    took_s = now_s() - start_s;
    printf(
        "random: %llu runs with seed %llu, %llu failed; %llu events, %llu messages, %llu deaths, "
        "%llu hosts lost by the authority, %llu runs beyond f; at most %llu early messages at a "
        "process; digest %016llx\n",
        (unsigned long long)sum.runs, (unsigned long long)seed, (unsigned long long)sum.failed,
        (unsigned long long)sum.events, (unsigned long long)sum.messages,
        (unsigned long long)sum.deaths, (unsigned long long)sum.losses,
        (unsigned long long)sum.excess_runs, (unsigned long long)sum.early_most,
        (unsigned long long)sum.digest);
    fprintf(stderr, "%.1f s, %.0f runs a second\n", took_s, (double)sum.runs / took_s);
    return rv;
}
