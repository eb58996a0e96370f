#include "crash.h"
#include "system/lines.h"

#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum moment { BEFORE_SEND = 'b', AFTER_SEND = 'a', IN_DATA = 'd', END = 'e' };
enum { PERCENT = 100, SITE_TEXT = 256, NOT_YET = -1 };

struct point {
    enum moment moment;
    /* @send is the percentage if @moment is IN_DATA. */
    long rank, operation, send;
    char site[SITE_TEXT]; /* site; empty: @operation counts all operations */
    long calls;           /* number of calls at the site so far */
    long begun;           /* number of the operation among all of this rank, or NOT_YET */
};

bool ftc_crash_armed;

enum { MAX_POINTS = 64 };               /* more than the text of the setting has room for */
static struct point points[MAX_POINTS]; /* points of this rank */
static int count;
static long operations; /* number of operations begun */

static bool take_number(const char **text, char end, long *number)
{
    char *rest;

    if (**text < '0' || **text > '9')
        return false;
    *number = strtol(*text, &rest, 10);
    *text = rest + (*rest != '\0');
    return *rest == end || (end == ',' && *rest == '\0');
}

/* Reads "OPERATION:POINT". Returns false if @text is not of that form. */
static bool take_moment(const char **text, struct point *p)
{
    if (!take_number(text, ':', &p->operation))
        return false;
    if (strncmp(*text, "end", 3) == 0 && ((*text)[3] == ',' || (*text)[3] == '\0')) {
        p->moment = END;
        *text += (*text)[3] == ',' ? 4 : 3;
        return true;
    }
    p->moment = (enum moment) * *text;
    if (p->moment != AFTER_SEND && p->moment != BEFORE_SEND && p->moment != IN_DATA)
        return false;
    ++*text;
    return take_number(text, ',', &p->send) && (p->send > 0 || p->moment != BEFORE_SEND) &&
           (p->send <= PERCENT || p->moment != IN_DATA);
}

/* Reads "SITE:OPERATION:POINT". A site may contain colons and commas, so it ends before the first
 * text of the form OPERATION:POINT. */
static bool take_site(const char **text, struct point *p)
{
    for (const char *end = strchr(*text, ':'); end; end = strchr(end + 1, ':')) {
        const char *rest = end + 1;
        size_t length = (size_t)(end - *text);

        if (length == 0 || length >= sizeof p->site || !take_moment(&rest, p))
            continue;
        memcpy(p->site, *text, length);
        p->site[length] = '\0';
        *text = rest;
        return true;
    }
    return false;
}

static bool take_point(const char **text, struct point *p)
{
    const char *rest;

    *p = (struct point){0};
    if (!take_number(text, ':', &p->rank))
        return false;
    rest = *text;
    if (!take_moment(&rest, p))
        return take_site(text, p);
    *text = rest;
    return true;
}

bool ftc_crash_parse(const char *text, int rank)
{
    count = 0;
    while (*text) {
        struct point p;

        if (!take_point(&text, &p) || count == MAX_POINTS)
            return false;
        p.begun = p.site[0] == '\0' ? p.operation : NOT_YET;
        if (p.rank == rank)
            points[count++] = p;
    }
    ftc_crash_armed = count > 0;
    return true;
}

int ftc_crash_highest_rank(const char *text)
{
    long highest = -1;
    struct point p;

    while (*text && take_point(&text, &p))
        highest = p.rank > highest ? p.rank : highest;
    return highest > INT_MAX ? INT_MAX : (int)highest;
}

static void die(const struct point *p)
{
    if (p->site[0] != '\0')
        ftc_lines_say(
            "ftcoll: rank %ld kills itself in its call %ld at %s, as setting crash says\n", p->rank,
            p->operation, p->site);
    else
        ftc_lines_say("ftcoll: rank %ld kills itself in its operation %ld, as setting crash says\n",
                      p->rank, p->operation);
    raise(SIGKILL);
}

static void die_if(enum moment moment, const struct ftc_crash_progress *at, long send)
{
    for (int i = 0; i < count; i++)
        if (points[i].moment == moment && points[i].begun == at->operation &&
            points[i].send == send)
            die(&points[i]);
}

uint64_t ftc_crash_points_at(const char *text,
                             uint64_t (*names)(const char *site, const char *text))
{
    uint64_t at = 0;

    for (int i = 0; i < count; i++)
        if (points[i].site[0] != '\0' && names(points[i].site, text) != 0)
            at |= (uint64_t)1 << i;
    return at;
}

void ftc_crash_at_call(uint64_t at)
{
    for (int i = 0; i < count; i++) {
        struct point *p = &points[i];

        if ((at >> i & 1) == 0 || p->calls++ != p->operation)
            continue;
        if (p->moment == AFTER_SEND && p->send == 0)
            die(p);
        p->begun = operations;
    }
}

void ftc_crash_at_start(struct ftc_crash_progress *p)
{
    *p = (struct ftc_crash_progress){.operation = operations++};
    die_if(AFTER_SEND, p, 0);
}

void ftc_crash_before_send(const struct ftc_crash_progress *p)
{
    die_if(BEFORE_SEND, p, p->sends + 1);
}

void ftc_crash_after_send(struct ftc_crash_progress *p)
{
    die_if(AFTER_SEND, p, ++p->sends);
}

void ftc_crash_in_data(const struct ftc_crash_progress *p, uint64_t done, uint64_t all)
{
    for (long percent = 0; percent <= PERCENT; percent++)
        if (done == all / PERCENT * (uint64_t)percent + all % PERCENT * (uint64_t)percent / PERCENT)
            die_if(IN_DATA, p, percent);
}

void ftc_crash_at_end(const struct ftc_crash_progress *p)
{
    die_if(END, p, 0);
}
