/* A run in words. */
#include "internal.h"

#include <stdarg.h>

static const char *const kind_name[] = {"?", "exchange", "up-correction", "tree", "broadcast"};
static const char *const verdict_name[] = {"none", "value", "more than f failures"};

void sim_trace_note(const struct sim *s, const char *format, ...)
{
    va_list args;

    if (!s->trace)
        return;
    va_start(args, format);
    vfprintf(s->trace, format, args);
    va_end(args);
    fputc('\n', s->trace);
}

/* {0 2}: each rank once; 2x1: rank 1 twice */
static void print_value(FILE *out, const struct sim *s, const void *value)
{
    const struct sim_value *v = value;
    const char *separator = "";

    fputc('{', out);
    for (int rank = 0; rank < s->scenario.n; rank++) {
        if (v->count[rank] == 0)
            continue;
        if (v->count[rank] == 1)
            fprintf(out, "%s%d", separator, rank);
        else
            fprintf(out, "%s%dx%d", separator, v->count[rank], rank);
        separator = " ";
    }
    fputc('}', out);
}

static void print_ranks(FILE *out, uint64_t ranks)
{
    for (int rank = 0; rank < SIM_MAX_N; rank++)
        if (ranks & sim_bit(rank))
            fprintf(out, " p%d", rank);
}

static void print_info(const struct sim *s, int from, const struct ftc_failure_info *info)
{
    if (s->scenario.scheme == FTC_FAILURE_LIST && info->count > 0) {
        fputs(" failed:", s->trace);
        print_ranks(s->trace, sim_process_ranks(&s->process[from], info));
    }
    if (s->scenario.scheme != FTC_FAILURE_LIST && info->subtree_failed)
        fputs(" subtree failed", s->trace);
}

void sim_trace_send(const struct sim *s, int from, int to, const struct ftc_message *m)
{
    if (!s->trace)
        return;
    fprintf(s->trace, "        p%d -> p%d  send %d: %s, op %d attempt %u", from, to,
            s->process[from].sends, kind_name[m->kind], s->process[from].seq, m->attempt);
    if (m->verdict != FTC_VERDICT_NONE)
        fprintf(s->trace, ", %s %s of attempt %u",
                m->kind == FTC_MESSAGE_BROADCAST ? "result" : "LOCK", verdict_name[m->verdict],
                m->decided);
    if (m->value) {
        fputc(' ', s->trace);
        print_value(s->trace, s, m->value);
    }
    if (m->info && m->verdict == FTC_VERDICT_NONE)
        print_info(s, from, m->info);
    fputc('\n', s->trace);
}

static void trace_rounds(const struct sim *s, int rank)
{
    static const char *const what[] = {
        [FTC_ROUNDS_REGION] = "takes a place",
        [FTC_ROUNDS_WRITE] = "writes",
        [FTC_ROUNDS_TAKE] = "takes what was written by",
        [FTC_ROUNDS_READ] = "reads what has stayed with",
        [FTC_ROUNDS_LEAVE] = "has read all",
    };
    const struct sim_rounds *p = s->process[rank].rounds;
    enum ftc_rounds_step step = p->progress.step;
    bool has_other = step == FTC_ROUNDS_TAKE || step == FTC_ROUNDS_READ;

    fprintf(s->trace, "p%d %s", rank, what[step]);
    if (has_other && p->at < s->scenario.n)
        fprintf(s->trace, " p%d", p->at);
    sim_trace_note(s, ", round %u of op %d", p->progress.round, p->first_op);
}

static void trace_turn(const struct sim *s, int rank)
{
    const struct sim_process *p = &s->process[rank];

    if (p->stage == SIM_STAGE_TAKING || s->scenario.op[p->seq].is_in_rounds)
        trace_rounds(s, rank);
    else
        sim_trace_note(s, "p%d: step %u, stage %d of the data of op %d", rank, p->data->phase.step,
                       (int)p->data->phase.stage, p->seq);
}

void sim_trace_event(struct sim *s, struct sim_event event)
{
    struct ftc_envelope envelope = {0};
    struct ftc_message m = {0};
    int p = event.process, peer = event.peer;

    if (!s->trace)
        return;
    fprintf(s->trace, "%5u   ", s->steps);
    switch ((enum sim_event_kind)event.kind) {
    case SIM_EVENT_START:
        sim_trace_note(s, "p%d begins op %d", p, s->process[p].seq);
        break;
    case SIM_EVENT_DELIVER:
        sim_network_decode(s, event.message, &envelope, &m);
        sim_trace_note(s, "p%d gets %s of p%d, op %u attempt %u", p, kind_name[m.kind], peer,
                       envelope.seq, m.attempt);
        break;
    case SIM_EVENT_NEWS:
        sim_trace_note(s, "p%d learns that p%d is dead", p, peer);
        break;
    case SIM_EVENT_READ:
        sim_trace_note(s, "p%d looks at what p%d shows", p, peer);
        break;
    case SIM_EVENT_DATA:
        trace_turn(s, p);
        break;
    case SIM_EVENT_ANSWER:
        sim_trace_note(s, "p%d gets the answer of p%d's host", p, peer);
        break;
    case SIM_EVENT_TELL:
        sim_trace_note(s, "the agent of host %d comes to the death of p%d", p, peer);
        break;
    case SIM_EVENT_LOSS:
        sim_trace_note(s, "the agent of host %d comes to the loss of host %d", p, peer);
        break;
    case SIM_EVENT_END:
        sim_trace_note(s, "all processes of host %d have ended", p);
        break;
    case SIM_EVENT_TICK:
        sim_trace_note(s, "tick %d", s->tick + 1);
        break;
    case SIM_EVENT_LOSE:
        sim_trace_note(s, "what was under way from p%d, dead, to p%d is lost", peer, p);
        break;
    case SIM_EVENT_PUBLISH:
        sim_trace_note(s, "p%d publishes", p);
        break;
    default:
        sim_trace_note(s, "now dies:");
        break;
    }
}

void sim_trace_crash(const struct sim *s, uint64_t ranks)
{
    if (!s->trace)
        return;
    fputs("        dies:", s->trace);
    print_ranks(s->trace, ranks);
    fputc('\n', s->trace);
}

void sim_trace_outcome(const struct sim *s, int process)
{
    const struct sim_process *p = &s->process[process];
    const struct sim_outcome *o = sim_outcome_of(s, p->seq, process);

    if (!s->trace)
        return;
    fprintf(s->trace, "        p%d ends op %d in attempt %u: %s", process, p->seq, o->attempt,
            verdict_name[o->verdict]);
    if (o->has_value) {
        fputc(' ', s->trace);
        print_value(s->trace, s, o->value);
    }
    if (o->failed) {
        fputs(" without", s->trace);
        print_ranks(s->trace, o->failed);
    }
    fputc('\n', s->trace);
}
