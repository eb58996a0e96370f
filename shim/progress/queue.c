#include "queue.h"

#include "detector/silence.h"
#include "drive.h"
#include "mismatch.h"
#include "report/report.h"
#include "system/clock.h"
#include "wait.h"

enum { LOOK_TURNS = 256 }; /* idle turns between two looks at what else could be wrong */

static struct ftc_comm *busy; /* communicators that have some */

bool ftc_pending_exist(void)
{
    return busy != NULL;
}

static void forget(struct ftc_comm *c)
{
    struct ftc_comm **link = &busy;

    while (*link != c)
        link = &(*link)->pending_next;
    *link = c->pending_next;
    if (!busy)
        ftc_drive_background = NULL;
}

static void pop(struct ftc_comm *c)
{
    struct ftc_pending *p = c->pending_first;

    c->pending_first = p->next;
    if (!c->pending_first)
        forget(c);
    p->comm = NULL;
    p->over(p);
}

/* The peers may be silent, or in another call: the wait loop of a blocking call looks at that too.
 */
static bool look_closer(struct ftc_comm *c)
{
    if (ftc_library.suspects)
        ftc_suspect(c, ftc_clock_ns());
    if (++c->pending_idle % LOOK_TURNS != 0)
        return false;
    return ftc_mismatch_find(c);
}

static bool look_after(struct ftc_comm *c)
{
    if (ftc_drive_is_over(c))
        return false;
    if (!ftc_drive_look_after(c))
        return look_closer(c);
    c->pending_idle = 0;
    return true;
}

/* The first in @c's queue, and whatever can be begun after it. */
static bool advance(struct ftc_comm *c)
{
    bool progress = false;

    while (c->pending_first) {
        struct ftc_pending *p = c->pending_first;

        if (!p->has_begun && c->active)
            break; /* a blocking call of another thread */
        ftc_report_enter(p->call);
        if (!p->has_begun)
            p->has_begun = p->begin(p);
        if (p->has_begun) {
            progress |= look_after(c);
            if (!ftc_drive_is_over(c))
                break;
            p->end(p);
        }
        pop(c);
        progress = true;
    }
    return progress;
}

static bool advance_all(void)
{
    struct ftc_report_site own = ftc_report_where();
    bool progress = false;

    for (struct ftc_comm *c = busy, *next; c; c = next) {
        next = c->pending_next;
        progress |= advance(c);
    }
    ftc_report_return(own);
    return progress;
}

bool ftc_pending_turn(void)
{
    bool progress = ftc_drive_poll();

    return advance_all() || progress;
}

void ftc_pending_add(struct ftc_pending *p)
{
    struct ftc_comm *c = p->comm;

    p->next = NULL;
    p->has_begun = false;
    if (c->pending_first) {
        c->pending_last->next = p;
        c->pending_last = p;
        return;
    }
    c->pending_first = c->pending_last = p;
    c->pending_next = busy;
    busy = c;
    ftc_drive_background = advance_all;
    advance(c);
}

void ftc_pending_complete(struct ftc_comm *c)
{
    struct ftc_wait wait;

    ftc_wait_reset(&wait);
    while (c->pending_first) {
        if (ftc_pending_turn())
            ftc_wait_reset(&wait);
        else
            ftc_wait_turn(&wait, c);
    }
}

void ftc_pending_complete_all(void)
{
    while (busy)
        ftc_pending_complete(busy);
}
