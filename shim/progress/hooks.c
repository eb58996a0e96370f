#include "hooks.h"

#include "crash.h"
#include "running.h"
#include "trace.h"

bool ftc_hooks_enabled;

int ftc_hooks_open(void)
{
    int rv = ftc_trace_events_open();

    ftc_hooks_enabled = ftc_crash_armed || ftc_trace_is_written;
    return rv;
}

void ftc_hooks_begin(struct ftc_comm *c)
{
    if (ftc_trace_is_written)
        ftc_trace_begin(c);
    if (ftc_crash_armed)
        ftc_crash_at_start(&c->running->crash);
}

void ftc_hooks_begun(struct ftc_comm *c)
{
    if (ftc_trace_is_written)
        ftc_trace_begun(c);
}

void ftc_hooks_step(struct ftc_comm *c)
{
    if (ftc_trace_is_written)
        ftc_trace_step(c);
}

void ftc_hooks_before_send(struct ftc_comm *c)
{
    if (ftc_crash_armed)
        ftc_crash_before_send(&c->running->crash);
}

void ftc_hooks_sent(struct ftc_comm *c, const struct ftc_send *s)
{
    if (ftc_trace_is_written)
        ftc_trace_send(c, s);
    if (ftc_crash_armed)
        ftc_crash_after_send(&c->running->crash);
}

void ftc_hooks_receive(const struct ftc_comm *c, int from, const struct ftc_message *m)
{
    if (ftc_trace_is_written)
        ftc_trace_receive(c, from, m);
}

void ftc_hooks_death(const struct ftc_comm *c, int member)
{
    if (ftc_trace_is_written)
        ftc_trace_notice(c, member);
}

void ftc_hooks_published(const struct ftc_comm *c, int member, uint32_t attempt)
{
    if (ftc_trace_is_written)
        ftc_trace_take(c, member, attempt);
}

void ftc_hooks_end(struct ftc_comm *c)
{
    if (ftc_crash_armed)
        ftc_crash_at_end(&c->running->crash);
    if (ftc_trace_is_written)
        ftc_trace_finish(c);
}
