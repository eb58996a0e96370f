/* The cluster as a whole: its memory, its beginning, and the loop that lets things happen. */
#include "check.h"
#include "internal.h"
#include "random.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

/* Lays out the parts of fixed size one behind the other; without @block it only counts. */
struct layout {
    unsigned char *block;
    size_t used;
};

static void *carve(struct layout *l, size_t count, size_t bytes)
{
    void *part = l->block ? l->block + l->used : NULL;

    l->used += (count * bytes + ALIGN - 1) / ALIGN * ALIGN;
    return part;
}

/* With what the operations of any of its members may need: classes of the rest of the hosts may
 * differ in size more than those of all. */
static struct ftc_topology with_most_room(const struct sim *s)
{
    struct ftc_topology most = s->topology;

    if (s->scenario.hosts_fail) {
        most.max_group = most.n;
        most.max_children = most.n * (most.f + 1);
    }
    return most;
}

static void lay_out_process(struct sim *s, struct layout *l, int rank)
{
    void *topology = carve(l, 1, ftc_topology_storage_bytes_over_hosts(s->scenario.n));
    struct ftc_topology most = with_most_room(s);
    int exchange_steps = s->scenario.n + 1 + FTC_EXCHANGE_LEADERS_STEPS;
    void *op = carve(l, 1, ftc_op_storage_bytes(&most, exchange_steps, s->value_bytes));
    void *data = carve(l, 1, sizeof *s->process[rank].data);
    void *rounds = carve(l, 1, sizeof *s->process[rank].rounds);
    void *original = carve(l, 1, s->value_bytes);

    if (!l->block)
        return;
    s->process[rank].topology_storage = topology;
    s->process[rank].op_storage = op;
    s->process[rank].data = data;
    s->process[rank].rounds = rounds;
    s->process[rank].original = original;
}

static size_t value_stride(const struct sim *s)
{
    return (s->value_bytes + FTC_VALUE_ALIGN - 1) / FTC_VALUE_ALIGN * FTC_VALUE_ALIGN;
}

static void place_values(struct sim *s)
{
    for (int i = 0; i < s->scenario.n * s->scenario.op_count; i++)
        s->outcome[i].value = s->outcome_values + (size_t)i * value_stride(s);
}

static size_t lay_out(struct sim *s, unsigned char *block)
{
    const struct scenario *c = &s->scenario;
    size_t n = (size_t)c->n, ops = (size_t)c->op_count;
    size_t boards = c->has_agents ? (size_t)s->host_count : 0;
    struct layout l = {.block = block};
    struct ftc_topology most = with_most_room(s);

    s->outcome = carve(&l, n * ops, sizeof *s->outcome);
    s->outcome_values = carve(&l, n * ops, value_stride(s));
    s->sent = carve(&l, ops, sizeof *s->sent);
    s->exchanged_apart = carve(&l, ops, sizeof *s->exchanged_apart);
    s->answer = carve(&l, n * n, sizeof *s->answer);
    s->boards = carve(&l, boards, sim_host_board_bytes(c->n));
    s->zeroed_bytes = l.used;
    s->actions.capacity = ftc_op_actions_capacity(&most, c->ring_distance);
    s->actions.send = carve(&l, (size_t)s->actions.capacity, sizeof *s->actions.send);
    s->position = carve(&l, SIM_EVENT_KINDS * n * n, sizeof *s->position);
    s->channel = carve(&l, n * n, sizeof *s->channel);
    s->hosts = carve(&l, boards, sizeof *s->hosts);
    s->process = carve(&l, n, sizeof *s->process);
    for (int rank = 0; rank < c->n; rank++)
        lay_out_process(s, &l, rank);
    return l.used;
}

static void get_memory(struct sim *s)
{
    size_t bytes = lay_out(s, NULL), stride;

    if (bytes > s->block_capacity) {
        free(s->block);
        s->block = aligned_alloc(ALIGN, bytes);
        assert(s->block);
        s->block_capacity = bytes;
    }
    lay_out(s, s->block);
    memset(s->block, 0, s->zeroed_bytes);
    place_values(s);
    /* Messages keep their memory from run to run, at the largest size so far. */
    stride = (ftc_message_max_wire_bytes(s->value_bytes) + ALIGN - 1) / ALIGN * ALIGN;
    if (stride > s->wire_stride) {
        s->wire_stride = stride;
        s->message_capacity = 0;
    }
}

void sim_close(struct sim *s)
{
    free(s->block);
    free(s->event);
    free(s->message);
    free(s->wire);
    *s = (struct sim){0};
}

void sim_begin(struct sim *s, const struct scenario *scenario)
{
    s->scenario = *scenario;
    s->value_bytes = sim_value_bytes(scenario->n, scenario->blocks);
    assert(ftc_topology_storage_bytes_over_hosts(scenario->n) <= sizeof s->topology_storage);
    sim_process_init_topology(s, sim_all(s), &s->topology, s->host, s->topology_storage);
    s->host_count = scenario_hosts_among(scenario, ~0ull);
    get_memory(s);
    for (int i = 0; i < SIM_EVENT_KINDS * scenario->n * scenario->n; i++)
        s->position[i] = -1;
    for (int i = 0; i < scenario->n * scenario->n; i++)
        s->channel[i] = (struct sim_queue){-1, -1};
    s->actions.count = s->event_count = s->crash_event_count = s->message_count = 0;
    s->free_message = -1;
    s->free_crashes = scenario->free_crashes;
    s->dead = s->lost = s->digest = 0;
    s->steps = s->deliveries = s->early_most = 0;
    s->violation[0] = '\0';
    if (scenario->has_agents) {
        sim_host_begin(s);
        sim_lease_begin(s);
    }
    sim_process_begin(s);
}

static void add_to_digest(struct sim *s, struct sim_event e)
{
    uint64_t what = s->digest ^ (((uint64_t)e.kind * SIM_MAX_N + e.process) * SIM_MAX_N + e.peer);

    s->digest = random_next(&what);
}

static void step(struct sim *s, struct sim_event event, const struct sim_chooser *chooser)
{
    s->steps++;
    add_to_digest(s, event);
    sim_trace_event(s, event);
    sim_process_step(s, event, chooser);
}

/* A run of a correct engine is far shorter. */
static uint32_t most_steps(const struct scenario *c)
{
    return (uint32_t)((c->n + 1) * c->n * c->op_count * 100 + 1000);
}

static bool run(struct sim *s, const struct sim_chooser *chooser)
{
    while (sim_is_active(s)) {
        int next = chooser->event(chooser->context, s);

        if (next < 0)
            return true;
        assert(next < s->event_count);
        step(s, s->event[next], chooser);
        if (s->steps > most_steps(&s->scenario))
            sim_violation(s, "every_live_process_ends", "still busy after %u events", s->steps);
    }
    if (s->violation[0] == '\0')
        sim_check_end(s);
    return s->violation[0] == '\0';
}

bool sim_run(struct sim *s, const struct sim_chooser *chooser)
{
    bool right = run(s, chooser);

    sim_lease_end();
    return right;
}
