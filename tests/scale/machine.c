#include "machine.h"
#include "memory.h"

#include <assert.h>
#include <stdlib.h>

void machine_init(struct machine *m, int n, struct ftc_logp cost, const struct protocol *protocol,
                  void *self)
{
    *m = (struct machine){.cost = cost, .n = n, .protocol = protocol, .self = self};
    m->process = memory_zeroed((size_t)n, sizeof *m->process);
    clock_init(&m->clock);
    for (int rank = 0; rank < n; rank++) {
        m->process[rank].returned_at = -1;
        clock_schedule(&m->clock, 0, (struct event){.kind = EVENT_START, .rank = rank});
    }
}

void machine_free(struct machine *m)
{
    for (int rank = 0; rank < m->n; rank++) {
        queue_empty(&m->process[rank].out.queue);
        queue_empty(&m->process[rank].in.queue);
    }
    free(m->process);
    clock_free(&m->clock);
}

void machine_set_hosts(struct machine *m, int per_host, struct ftc_logp between)
{
    m->per_host = per_host;
    m->between = between;
}

void machine_kill(struct machine *m, int rank, int64_t news_delay)
{
    m->process[rank].dead = true;
    for (int other = 0; news_delay >= 0 && other < m->n; other++)
        clock_schedule(&m->clock, news_delay,
                       (struct event){.kind = EVENT_NEWS, .rank = other, .peer = rank});
}

static struct message *new_message(int from, int to, size_t bytes)
{
    struct message *message = memory_resize(NULL, sizeof *message + bytes);

    message->from = from;
    message->to = to;
    message->bytes = bytes;
    return message;
}

struct message *machine_send(struct machine *m, int from, int to, size_t bytes)
{
    struct message *message = new_message(from, to, bytes);

    queue_append(&m->process[from].out.queue, message);
    m->messages++;
    return message;
}

/* On its way out it is to its own sender. */
void machine_publish(struct machine *m, int from)
{
    queue_append(&m->process[from].out.queue, new_message(from, from, 0));
}

static const struct ftc_logp *cost_of(const struct machine *m, const struct message *message)
{
    bool is_inside = m->per_host == 0 || message->from / m->per_host == message->to / m->per_host;

    return is_inside ? &m->cost : &m->between;
}

void machine_finish(struct machine *m, int rank)
{
    m->process[rank].has_result = true;
    queue_empty(&m->process[rank].in.queue);
}

/* Keeps the processor busy for o with the first message of @port. */
static void begin(struct machine *m, int rank, struct port *port, enum event_kind end)
{
    struct message *message = queue_remove_first(&port->queue);
    const struct ftc_logp *cost = cost_of(m, message);

    m->process[rank].busy = true;
    port->free_at = m->clock.now + (cost->g > cost->o ? cost->g : cost->o);
    clock_schedule(&m->clock, m->clock.now + cost->o,
                   (struct event){.kind = end, .rank = rank, .message = message});
}

static void wait_for(struct machine *m, int rank, const struct port *port)
{
    if (port->queue.first)
        clock_schedule(&m->clock, port->free_at, (struct event){.kind = EVENT_READY, .rank = rank});
}

static bool is_ready(const struct machine *m, const struct port *port)
{
    return port->queue.first && port->free_at <= m->clock.now;
}

static void work(struct machine *m, int rank)
{
    struct process *p = &m->process[rank];

    if (p->busy)
        return;
    if (p->has_result && !p->out.queue.first && p->returned_at < 0)
        p->returned_at = m->clock.now;
    if (is_ready(m, &p->out)) {
        begin(m, rank, &p->out, EVENT_SEND_END);
    } else if (is_ready(m, &p->in)) {
        begin(m, rank, &p->in, EVENT_RECEPTION_END);
    } else {
        wait_for(m, rank, &p->out);
        wait_for(m, rank, &p->in);
    }
}

static void travel(struct machine *m, struct message *message)
{
    clock_schedule(&m->clock, m->clock.now + cost_of(m, message)->L,
                   (struct event){.kind = EVENT_ARRIVAL, .rank = message->to, .message = message});
}

static void show(struct machine *m, struct message *publication)
{
    int first = publication->from;

    for (int rank = first + 1; first % m->per_host == 0 && rank < first + m->per_host; rank++)
        travel(m, new_message(first, rank, 0));
    free(publication);
}

/* Late messages are the next operation's business. */
static void arrive(struct machine *m, int rank, struct message *message)
{
    struct process *p = &m->process[rank];

    if (p->dead || p->has_result)
        free(message);
    else
        queue_append(&p->in.queue, message);
}

static void take(struct machine *m, int rank, struct message *message)
{
    if (m->process[rank].has_result)
        free(message);
    else
        m->protocol->take(m->self, message);
}

static void happen(struct machine *m, const struct event *e)
{
    struct process *p = &m->process[e->rank];

    switch (e->kind) {
    case EVENT_START:
        if (!p->dead)
            m->protocol->start(m->self, e->rank);
        break;
    case EVENT_READY:
        break;
    case EVENT_SEND_END:
        p->busy = false;
        if (e->message->to == e->message->from)
            show(m, e->message);
        else
            travel(m, e->message);
        break;
    case EVENT_ARRIVAL:
        arrive(m, e->rank, e->message);
        break;
    case EVENT_RECEPTION_END:
        p->busy = false;
        take(m, e->rank, e->message);
        break;
    case EVENT_NEWS:
        if (!p->dead && !p->has_result)
            m->protocol->hear_of_death(m->self, e->rank, e->peer);
        break;
    }
    work(m, e->rank);
}

int64_t machine_run(struct machine *m)
{
    struct event e;
    int64_t last = 0;

    while (clock_next(&m->clock, &e))
        happen(m, &e);
    for (int rank = 0; rank < m->n; rank++) {
        const struct process *p = &m->process[rank];

        if (!p->dead && p->returned_at < 0)
            return -1;
        if (!p->dead && p->returned_at > last)
            last = p->returned_at;
    }
    return last;
}
