#include "trace.h"

#include "board/trace.h"
#include "crash.h"
#include "running.h"

#include <errno.h>
#include <stdlib.h>

enum {
    SLOW_BYTES = 1024, /* a shorter value is combined or copied in less than 100 ns */
    /* Number of operations in a recovery. The operation that meets a death may end without being
     * affected by it. */
    RECOVERY = 2,
};

bool ftc_trace_is_written;

static struct ftc_trace trace;
static bool *is_noticed; /* by world rank, because each communicator meets a death again */
static int recovering;   /* number of operations that are still part of a recovery */

int ftc_trace_events_open(void)
{
    const struct ftc_board *board = &ftc_library.board;

    if (!ftc_trace_is_on(board))
        return 0;
    is_noticed = calloc(board->geometry.ranks, sizeof *is_noticed);
    if (!is_noticed)
        return -ENOMEM;
    ftc_trace_is_written = true;
    ftc_trace_open(&trace, board, (uint32_t)ftc_library.world_rank);
    return 0;
}

static uint16_t world_of(const struct ftc_comm *c, int member)
{
    return (uint16_t)c->world[c->member[member]];
}

static void add(const struct ftc_comm *c, struct ftc_trace_event e)
{
    e.communicator_id = c->id;
    e.seq = c->seq;
    ftc_trace_add(&trace, e);
}

/* Returns whether a value takes long to combine or copy. */
static bool is_slow(const struct ftc_comm *c)
{
    return c->running->op.config.value_bytes > SLOW_BYTES;
}

static uint16_t root_of(const struct ftc_comm *c)
{
    const struct ftc_op *op = &c->running->op;

    return op->phase == FTC_PHASE_EXCHANGE ? FTC_TRACE_NOBODY : world_of(c, op->root);
}

/* Returns the phase to record. A rank that has only sends left may have passed several phases in
 * one step. It is then sending its contribution in a reduce, and the result in an allreduce. */
static enum ftc_phase phase_of(const struct ftc_running *r)
{
    bool is_sending = r->op.phase == FTC_PHASE_DONE && r->actions.count > 0;

    if (is_sending && r->op.config.kind == FTC_OP_REDUCE && r->traced.phase == FTC_PHASE_IDLE)
        return FTC_PHASE_UP_CORRECTION;
    if (is_sending && r->op.config.kind == FTC_OP_ALLREDUCE &&
        r->traced.phase != FTC_PHASE_EXCHANGE)
        return FTC_PHASE_DISSEMINATION;
    return r->op.phase;
}

void ftc_trace_step(struct ftc_comm *c)
{
    struct ftc_running *r = c->running;
    enum ftc_phase phase = phase_of(r);

    if (!r->traced.is_begun || (phase == r->traced.phase && r->op.attempt == r->traced.attempt) ||
        phase == FTC_PHASE_IDLE || phase == FTC_PHASE_DONE)
        return;
    r->traced.phase = phase;
    r->traced.attempt = r->op.attempt;
    add(c, (struct ftc_trace_event){.kind = FTC_TRACE_PHASE,
                                    .what = (uint8_t)phase,
                                    .attempt = (uint16_t)r->op.attempt,
                                    .peer = root_of(c)});
}

static void write_begin(struct ftc_comm *c)
{
    struct ftc_running *r = c->running;

    r->traced.is_begun = true;
    ftc_trace_look_at_clock(&trace);
    add(c, (struct ftc_trace_event){.kind = FTC_TRACE_BEGIN,
                                    .what = (uint8_t)r->call->kind,
                                    .number = (uint32_t)r->op.config.value_bytes,
                                    .peer = (uint16_t)c->member_count});
}

/* Records nothing before the first message, for which other ranks may wait, is out. Exceptions are
 * fault injection, because a death at that point must appear in the trace, and messages that take
 * long. */
void ftc_trace_begin(struct ftc_comm *c)
{
    c->running->traced = (struct ftc_traced){.phase = FTC_PHASE_IDLE};
    if (ftc_crash_armed || is_slow(c))
        write_begin(c);
}

void ftc_trace_begun(struct ftc_comm *c)
{
    if (c->running->traced.is_begun)
        return;
    write_begin(c);
    ftc_trace_step(c);
}

static void add_message(const struct ftc_comm *c, enum ftc_trace_kind kind, int member,
                        const struct ftc_message *m)
{
    add(c, (struct ftc_trace_event){.kind = (uint8_t)kind,
                                    .what = (uint8_t)m->kind,
                                    .attempt = (uint16_t)m->attempt,
                                    .number = m->kind == FTC_MESSAGE_EXCHANGE ? m->step : 0,
                                    .peer = world_of(c, member)});
}

void ftc_trace_send(struct ftc_comm *c, const struct ftc_send *s)
{
    ftc_trace_begun(c);
    if (ftc_crash_armed || is_slow(c))
        ftc_trace_look_at_clock(&trace);
    add_message(c, FTC_TRACE_SENT, s->to, &s->message);
}

/* Records messages of the current attempt only. Earlier ones are dropped, and later ones are
 * offered again. */
void ftc_trace_receive(const struct ftc_comm *c, int from, const struct ftc_message *m)
{
    if (m->attempt != c->running->op.attempt)
        return;
    ftc_trace_look_at_clock(&trace);
    add_message(c, FTC_TRACE_RECEIVED, from, m);
}

/* Records the current moment on both clocks, because times of deaths are from CLOCK_MONOTONIC. */
static void add_moment(void)
{
    struct ftc_moment now = ftc_ticks_now(trace.are_cycles);

    trace.now = now.ticks;
    ftc_trace_add(&trace,
                  (struct ftc_trace_event){.kind = FTC_TRACE_MOMENT, .communicator_id = now.ns});
}

void ftc_trace_notice(const struct ftc_comm *c, int member)
{
    uint16_t world = world_of(c, member);

    if (is_noticed[world])
        return;
    is_noticed[world] = true;
    recovering = RECOVERY;
    add_moment();
    add(c, (struct ftc_trace_event){.kind = FTC_TRACE_NOTICED, .peer = world});
}

void ftc_trace_take(const struct ftc_comm *c, int member, uint32_t attempt)
{
    ftc_trace_look_at_clock(&trace);
    add(c, (struct ftc_trace_event){
               .kind = FTC_TRACE_TAKEN, .attempt = (uint16_t)attempt, .peer = world_of(c, member)});
}

void ftc_trace_finish(const struct ftc_comm *c)
{
    const struct ftc_running *r = c->running;

    if (is_slow(c))
        ftc_trace_look_at_clock(&trace);
    if (recovering > 0)
        add_moment();
    add(c, (struct ftc_trace_event){.kind = FTC_TRACE_END,
                                    .what = (uint8_t)r->op.result.verdict,
                                    .attempt = (uint16_t)r->op.result.attempt,
                                    .number = (uint32_t)r->op.agreed.count});
    if (recovering > 0 && --recovering == 0)
        ftc_trace_keep(&trace);
    if (r->call->kind == FTC_CALL_FINALIZE)
        ftc_trace_end(&trace);
}
