#include "queue.h"

#include "detector/silence.h"
#include "loop.h"
#include "messages.h"
#include "mismatch.h"
#include "running.h"
#include "wait.h"

#include <assert.h>

enum {
    LOOK_TURNS = 32, /* idle turns between checks for mismatches */
    FEW = 64,
};

/* List of the communicators with operations, in the order of their begin. Those that began first
 * usually end first, and there may be thousands. */
struct ftc_comm *ftc_queue_busy;
static struct ftc_comm **busy_end = &ftc_queue_busy;
static unsigned busy_count;
static void (*settle)(void);

void ftc_queue_on_complete(void (*function)(void))
{
    settle = function;
}

bool ftc_queue_is_used(void)
{
    return ftc_queue_busy != NULL;
}

static void remember(struct ftc_comm *c)
{
    c->running->next = NULL;
    c->running->link = busy_end;
    *busy_end = c;
    busy_end = &c->running->next;
    busy_count++;
}

static void forget(struct ftc_comm *c)
{
    struct ftc_running *r = c->running;

    *r->link = r->next;
    if (r->next)
        r->next->running->link = r->link;
    else
        busy_end = r->link;
    busy_count--;
}

static void pop(struct ftc_comm *c)
{
    struct ftc_running *r = c->running;
    struct ftc_queued *p = r->first;

    r->first = p->next;
    if (!r->first)
        forget(c);
    p->comm = NULL;
    p->over(p);
}

/* Checks whether peers are silent or in another call, as the wait loop of a blocking call does.
 * Returns whether one is in another call. */
static bool look_closer(struct ftc_comm *c)
{
    struct ftc_running *r = c->running;

    ftc_silence_look(c, ftc_running_expects);
    if (++r->idle_turns % LOOK_TURNS != 0)
        return false;
    return ftc_mismatch_find(c, ftc_messages_take_from);
}

static bool look_after(struct ftc_comm *c)
{
    if (ftc_loop_is_over(c))
        return false;
    if (!ftc_loop_look_after(c))
        return look_closer(c);
    c->running->idle_turns = 0;
    return true;
}

/* Advances the first operation in the queue of @c, and each later one that can begin after it. */
static bool advance(struct ftc_comm *c)
{
    struct ftc_running *r = c->running;
    bool progress = false;

    while (r->first) {
        struct ftc_queued *p = r->first;

        if (!p->has_begun && r->active)
            break; /* a blocking call of another thread is running */
        if (!p->has_begun)
            p->has_begun = p->begin(p);
        if (p->has_begun) {
            progress |= look_after(c);
            if (!ftc_loop_is_over(c))
                break;
            progress = true;
            p->has_begun = p->end(p);
            if (!p->has_begun)
                continue;
        }
        pop(c);
        progress = true;
    }
    return progress;
}

bool ftc_queue_go_on(void)
{
    bool progress = false;

    for (struct ftc_comm *c = ftc_queue_busy, *next; c; c = next) {
        next = c->running->next;
        progress |= advance(c);
    }
    return progress;
}

bool ftc_queue_turn(void)
{
    bool progress = ftc_messages_take();

    return ftc_queue_go_on() || progress;
}

bool ftc_queue_is_crowd(void)
{
    static unsigned asked;

    if (busy_count > FEW && ++asked < busy_count)
        return true;
    asked = 0;
    return false;
}

void ftc_queue_turn_of(struct ftc_comm *c)
{
    ftc_messages_take();
    if (c)
        advance(c);
}

void ftc_queue_add(struct ftc_queued *p)
{
    struct ftc_comm *c = p->comm;

    assert(c->fallback == FTC_FALLBACK_NONE);
    assert(p->begin);
    assert(p->end);
    assert(p->over);
    p->next = NULL;
    p->has_begun = false;
    if (c->running->first) {
        c->running->last->next = p;
        c->running->last = p;
        return;
    }
    c->running->first = c->running->last = p;
    remember(c);
    advance(c);
}

void ftc_queue_complete(struct ftc_comm *c)
{
    struct ftc_wait wait;

    ftc_wait_reset(&wait);
    while (c->running->first) {
        if (ftc_queue_turn())
            ftc_wait_reset(&wait);
        else
            ftc_wait_turn(&wait, c);
    }
    if (settle)
        settle();
}

void ftc_queue_complete_all(void)
{
    while (ftc_queue_busy)
        ftc_queue_complete(ftc_queue_busy);
}

const struct ftc_comm_callbacks ftc_queue_comm_callbacks = {
    .open = ftc_running_open,
    .complete = ftc_queue_complete,
    .close = ftc_running_close,
};
