/* Recursive multiplying: recursive doubling, but in groups of several, as MPICH's recursive
 * exchange. A step differs in one digit of the ranks, to the base of their number in a group. */
#include "memory.h"
#include "yardstick.h"

#include <stdlib.h>

enum { STEPS_MAX = 32 };

struct multiplying {
    struct machine machine;
    int base, steps;
    int *step; /* that each rank is at */
    int (*received)[STEPS_MAX];
};

static void send_step(struct multiplying *m, int rank)
{
    int unit = 1, digit;

    for (int i = 0; i < m->step[rank]; i++)
        unit *= m->base;
    digit = rank / unit % m->base;
    for (int i = 1; i < m->base; i++) {
        int other = (digit + i) % m->base;
        struct message *message =
            machine_send(&m->machine, rank, rank + (other - digit) * unit, sizeof(int));

        *(int *)message->payload = m->step[rank];
    }
}

static void go_on(struct multiplying *m, int rank)
{
    while (m->received[rank][m->step[rank]] == m->base - 1) {
        if (++m->step[rank] == m->steps) {
            machine_finish(&m->machine, rank);
            return;
        }
        send_step(m, rank);
    }
}

static void start(void *self, int rank)
{
    send_step(self, rank);
}

static void take(void *self, struct message *message)
{
    struct multiplying *m = self;

    m->received[message->to][*(int *)message->payload]++;
    go_on(m, message->to);
    free(message);
}

int64_t yardstick_recursive_multiplying(int n, struct ftc_logp cost, int base)
{
    static const struct protocol protocol = {.start = start, .take = take};
    struct multiplying m = {.base = base};
    int64_t latency, power = 1;

    for (; power < n; power *= base)
        m.steps++;
    if (power != n)
        return -1;
    m.step = memory_zeroed((size_t)n, sizeof *m.step);
    m.received = memory_zeroed((size_t)n, sizeof *m.received);
    machine_init(&m.machine, n, cost, &protocol, &m);
    latency = machine_run(&m.machine);
    machine_free(&m.machine);
    free(m.step);
    free(m.received);
    return latency;
}
