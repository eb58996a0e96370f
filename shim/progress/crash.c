#include "crash.h"
#include "system/lines.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum moment { BEFORE_SEND = 'b', AFTER_SEND = 'a', IN_DATA = 'd', END = 'e' };
enum { PERCENT = 100 };

struct point {
    enum moment moment;
    long rank, operation, send; /* of IN_DATA: percent */
};

bool ftc_crash_armed;

enum { MAX_POINTS = 8 };
static struct point points[MAX_POINTS]; /* of this rank */
static int count;
static long operations; /* that have begun */

static bool take_number(const char **text, char end, long *number)
{
    char *rest;

    if (**text < '0' || **text > '9')
        return false;
    *number = strtol(*text, &rest, 10);
    *text = rest + (*rest != '\0');
    return *rest == end || (end == ',' && *rest == '\0');
}

static bool take_point(const char **text, struct point *p)
{
    *p = (struct point){0};
    if (!take_number(text, ':', &p->rank) || !take_number(text, ':', &p->operation))
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

bool ftc_crash_parse(const char *text, int rank)
{
    count = 0;
    while (*text) {
        struct point p;

        if (!take_point(&text, &p) || count == MAX_POINTS)
            return false;
        if (p.rank == rank)
            points[count++] = p;
    }
    ftc_crash_armed = count > 0;
    return true;
}

static void die_if(enum moment moment, const struct ftc_crash_progress *at, long send)
{
    for (int i = 0; i < count; i++) {
        const struct point *p = &points[i];

        if (p->moment != moment || p->operation != at->operation || p->send != send)
            continue;
        ftc_lines_say("ftcoll: rank %ld kills itself in its operation %ld, as setting crash says\n",
                      p->rank, p->operation);
        raise(SIGKILL);
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
