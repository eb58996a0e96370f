/* Recursive doubling, as in MPICH: fold n to a power of two, double, unfold. */
#include "memory.h"
#include "yardstick.h"

#include <stdlib.h>

enum { FOLD = -1, UNFOLD = -2 }; /* else: the distance of the partner */

struct doubling {
    struct machine machine;
    int power, rest;
    int *distance;      /* that each rank is at; 0: before */
    unsigned *received; /* distances whose message has come: powers of two, so bits */
};

static bool is_folded(const struct doubling *d, int rank)
{
    return rank < 2 * d->rest && rank % 2 == 0;
}

static bool is_odd_of_pair(const struct doubling *d, int rank)
{
    return rank < 2 * d->rest && rank % 2 == 1;
}

static int partner(const struct doubling *d, int rank)
{
    int number = (rank < 2 * d->rest ? rank / 2 : rank - d->rest) ^ d->distance[rank];

    return number < d->rest ? 2 * number + 1 : number + d->rest;
}

static void send(struct doubling *d, int from, int to, int step)
{
    struct message *message = machine_send(&d->machine, from, to, sizeof step);

    *(int *)message->payload = step;
}

static void finish(struct doubling *d, int rank)
{
    if (is_odd_of_pair(d, rank))
        send(d, rank, rank - 1, UNFOLD);
    machine_finish(&d->machine, rank);
}

/* Passes through all distances whose message is there already. */
static void go_on(struct doubling *d, int rank)
{
    while (d->distance[rank] < d->power) {
        send(d, rank, partner(d, rank), d->distance[rank]);
        if (!(d->received[rank] & (unsigned)d->distance[rank]))
            return;
        d->distance[rank] *= 2;
    }
    finish(d, rank);
}

static void begin(struct doubling *d, int rank)
{
    d->distance[rank] = 1;
    go_on(d, rank);
}

static void receive(struct doubling *d, int rank, int distance)
{
    d->received[rank] |= (unsigned)distance;
    if (distance != d->distance[rank])
        return;
    d->distance[rank] *= 2;
    go_on(d, rank);
}

static void start(void *self, int rank)
{
    struct doubling *d = self;

    if (is_folded(d, rank))
        send(d, rank, rank + 1, FOLD);
    else if (!is_odd_of_pair(d, rank))
        begin(d, rank);
}

static void take(void *self, struct message *message)
{
    struct doubling *d = self;
    int rank = message->to, step = *(int *)message->payload;

    free(message);
    if (step == FOLD)
        begin(d, rank);
    else if (step == UNFOLD)
        machine_finish(&d->machine, rank);
    else
        receive(d, rank, step);
}

int64_t yardstick_recursive_doubling(int n, struct ftc_logp cost)
{
    static const struct protocol protocol = {.start = start, .take = take};
    struct doubling d = {.power = 1};
    int64_t latency;

    while (2 * d.power <= n)
        d.power *= 2;
    d.rest = n - d.power;
    d.distance = memory_zeroed((size_t)n, sizeof *d.distance);
    d.received = memory_zeroed((size_t)n, sizeof *d.received);
    machine_init(&d.machine, n, cost, &protocol, &d);
    latency = machine_run(&d.machine);
    machine_free(&d.machine);
    free(d.distance);
    free(d.received);
    return latency;
}
