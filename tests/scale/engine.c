#include "engine.h"
#include "memory.h"

#include <err.h>
#include <stdlib.h>

/* How much of the area for the state machines keeps its pages from run to run, which is faster.
 * With it, 65536 processes need less than 4 GB. */
static const size_t RESIDENT_BYTES = (size_t)5 << 29;

struct member {
    struct ftc_op op;
    struct ftc_exchange_plan exchange_plan;
    uint64_t original;
    uint32_t attempt;
    struct queue early; /* messages of a later attempt */
};

struct engine {
    struct machine machine;
    struct ftc_topology topology;
    void *topology_storage;
    int32_t *host; /* of each member */
    struct member *member;
    unsigned char *op_storage;
    size_t op_bytes; /* of one member */
    struct ftc_actions actions;
    struct ftc_failure_info info; /* of the message that is being taken */
};

static void add(void *context, void *into, const void *from)
{
    (void)context;
    *(uint64_t *)into += *(const uint64_t *)from;
}

/* Any two sums of these differ if they are not sums of the same ranks, but for bad luck. */
static uint64_t original_of(int rank)
{
    uint64_t x = ((uint64_t)rank + 1) * 0x9e3779b97f4a7c15u;

    return (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
}

/* ---- steps ---- */

static void send_all(struct engine *e, int rank)
{
    const struct ftc_envelope envelope = {0};

    for (int i = 0; i < e->actions.count; i++) {
        const struct ftc_send *s = &e->actions.send[i];
        size_t bytes = ftc_message_wire_bytes(&s->message, FTC_FAILURE_LIST, sizeof(uint64_t));
        struct message *message = machine_send(&e->machine, rank, s->to, bytes);

        ftc_message_encode(&s->message, &envelope, FTC_FAILURE_LIST, sizeof(uint64_t),
                           message->payload);
    }
    e->actions.count = 0;
}

static enum ftc_step_outcome step(struct engine *e, int rank, const struct ftc_event *event)
{
    struct ftc_op *op = &e->member[rank].op;
    enum ftc_step_outcome outcome = ftc_op_step(op, event, &e->actions);

    send_all(e, rank);
    if (ftc_op_is_done(op) && e->machine.per_host > 0)
        machine_publish(&e->machine, rank);
    if (ftc_op_is_done(op))
        machine_finish(&e->machine, rank);
    return outcome;
}

static void read_published(struct engine *e, struct message *message)
{
    struct ftc_event event = {.kind = FTC_EVENT_PUBLISHED,
                              .peer = message->from,
                              .published = &e->member[message->from].op.result};

    step(e, message->to, &event);
    free(message);
}

static void offer(struct engine *e, struct message *message)
{
    struct ftc_envelope envelope;
    size_t value_bytes;
    struct ftc_message m;
    struct ftc_event event = {.kind = FTC_EVENT_MESSAGE, .peer = message->from, .message = &m};

    if (ftc_message_decode(message->payload, message->bytes, FTC_FAILURE_LIST, &envelope,
                           &value_bytes, &m, &e->info) != 0)
        errx(1, "rank %d sent something unreadable to %d", message->from, message->to);
    switch (step(e, message->to, &event)) {
    case FTC_STEP_OK:
        free(message);
        break;
    case FTC_STEP_LATER:
        queue_append(&e->member[message->to].early, message);
        break;
    case FTC_STEP_BAD:
        errx(1, "rank %d refuses what %d sent", message->to, message->from);
    }
}

/* What came too early is offered again when the attempt has changed. */
static void offer_early(struct engine *e, int rank)
{
    struct member *m = &e->member[rank];
    struct queue early = m->early;

    m->early = (struct queue){0};
    m->attempt = m->op.attempt;
    while (early.first)
        offer(e, queue_remove_first(&early));
}

/* ---- what the machine calls ---- */

static void start(void *self, int rank)
{
    step(self, rank, &(struct ftc_event){.kind = FTC_EVENT_START});
}

static void take(void *self, struct message *message)
{
    if (message->bytes == 0)
        read_published(self, message);
    else
        offer(self, message);
}

static void hear_of_death(void *self, int rank, int dead)
{
    struct engine *e = self;

    step(e, rank, &(struct ftc_event){.kind = FTC_EVENT_PEER_FAILED, .peer = dead});
    if (e->member[rank].op.attempt != e->member[rank].attempt)
        offer_early(e, rank);
}

/* ---- the beginning and the end ---- */

static void init_topology(struct engine *e, const struct engine_setup *setup)
{
    size_t bytes = ftc_topology_storage_bytes(setup->n, setup->f);

    e->topology_storage = memory_zeroed(1, bytes);
    ftc_topology_init(&e->topology, setup->n, setup->f, &setup->tree, e->topology_storage);
    if (setup->per_host == 0)
        return;
    machine_set_hosts(&e->machine, setup->per_host, setup->between);
    e->host = memory_zeroed((size_t)setup->n, sizeof *e->host);
    for (int rank = 0; rank < setup->n; rank++)
        e->host[rank] = rank / setup->per_host;
    e->topology.hosts = (struct ftc_hosts){
        .count = setup->n / setup->per_host, .are_far = setup->hosts_are_far, .of = e->host};
}

/* The area for all state machines, kept from run to run. */
static unsigned char *op_area(size_t bytes)
{
    static unsigned char *area;
    static size_t area_bytes;

    if (bytes > area_bytes) {
        memory_sparse_free(area, area_bytes);
        area = memory_sparse(bytes);
        area_bytes = bytes;
    }
    return area;
}

static void init_member(struct engine *e, const struct engine_setup *setup, int rank)
{
    struct member *m = &e->member[rank];
    unsigned char *storage = e->op_storage + (size_t)rank * e->op_bytes;

    m->original = original_of(rank);
    ftc_op_init(&m->op,
                &(struct ftc_op_config){
                    .kind = setup->kind,
                    .algorithm = setup->algorithm,
                    .failure_scheme = FTC_FAILURE_LIST,
                    .correction = setup->correction,
                    .ring_distance = setup->f,
                    .deterministic = true,
                    .topology = &e->topology,
                    .exchange_plan = &m->exchange_plan,
                    .rank = rank,
                    .value_bytes = sizeof m->original,
                    .original = &m->original,
                    .combine = add,
                },
                storage);
    if ((size_t)rank * e->op_bytes > RESIDENT_BYTES)
        memory_forget(m->op.dead, (size_t)setup->n); /* n * n bytes of zero in all */
}

/* Returns the most steps that one has. */
static int plan_exchange(struct engine *e, const struct engine_setup *setup)
{
    int most = 0;

    for (int rank = 0; rank < setup->n; rank++) {
        struct ftc_exchange_plan *p = &e->member[rank].exchange_plan;

        ftc_exchange_plan_make(p, &e->topology.hosts, FTC_EXCHANGE_BY_ALL, setup->n, rank);
        if (p->count > most)
            most = p->count;
    }
    return most;
}

static void init_members(struct engine *e, const struct engine_setup *setup)
{
    size_t bytes;

    e->member = memory_zeroed((size_t)setup->n, sizeof *e->member);
    bytes = ftc_op_storage_bytes(&e->topology, plan_exchange(e, setup), sizeof(uint64_t));
    e->op_bytes = (bytes + FTC_VALUE_ALIGN - 1) / FTC_VALUE_ALIGN * FTC_VALUE_ALIGN;
    e->op_storage = op_area((size_t)setup->n * e->op_bytes);
    e->actions.capacity = ftc_op_actions_capacity(&e->topology, setup->f);
    e->actions.send = memory_zeroed((size_t)e->actions.capacity, sizeof *e->actions.send);
    for (int rank = 0; rank < setup->n; rank++)
        init_member(e, setup, rank);
}

static void tell_all(struct engine *e, int dead)
{
    for (int rank = 0; rank < e->machine.n; rank++)
        if (!e->machine.process[rank].dead)
            step(e, rank, &(struct ftc_event){.kind = FTC_EVENT_PEER_FAILED, .peer = dead});
}

static void kill_all(struct engine *e, const struct engine_deaths *deaths)
{
    for (int i = 0; i < deaths->count; i++)
        machine_kill(&e->machine, deaths->rank[i], deaths->known ? -1 : deaths->news_delay);
    for (int i = 0; deaths->known && i < deaths->count; i++)
        tell_all(e, deaths->rank[i]);
}

static uint64_t expected(const struct engine *e)
{
    uint64_t sum = 0;

    for (int rank = 0; rank < e->machine.n; rank++)
        if (!e->machine.process[rank].dead)
            sum += e->member[rank].original;
    return sum;
}

static void check_results(const struct engine *e)
{
    uint64_t sum = expected(e);

    for (int rank = 0; rank < e->machine.n; rank++) {
        const struct ftc_result *r = &e->member[rank].op.result;

        if (e->machine.process[rank].dead)
            continue;
        if (r->verdict != FTC_VERDICT_VALUE)
            errx(1, "rank %d of %d has no result", rank, e->machine.n);
        if (r->value && *(const uint64_t *)r->value != sum)
            errx(1, "rank %d of %d has a wrong result", rank, e->machine.n);
    }
}

static void free_all(struct engine *e)
{
    for (int rank = 0; rank < e->machine.n; rank++)
        queue_empty(&e->member[rank].early);
    free(e->member);
    free(e->host);
    free(e->actions.send);
    free(e->topology_storage);
    machine_free(&e->machine);
}

struct engine_figures engine_run(const struct engine_setup *setup,
                                 const struct engine_deaths *deaths)
{
    static const struct protocol protocol = {start, take, hear_of_death};
    struct engine e = {0};
    struct engine_figures figures;

    machine_init(&e.machine, setup->n, setup->cost, &protocol, &e);
    init_topology(&e, setup);
    init_members(&e, setup);
    kill_all(&e, deaths);
    figures.latency = machine_run(&e.machine);
    figures.messages = e.machine.messages;
    if (figures.latency < 0)
        errx(1, "n = %d, f = %d: somebody never returns", setup->n, setup->f);
    check_results(&e);
    free_all(&e);
    return figures;
}
