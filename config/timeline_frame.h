/* timeline_frame: where the parts of a picture lie, and what is around the recovery in it. */
#ifndef FTC_CONFIG_TIMELINE_FRAME_H
#define FTC_CONFIG_TIMELINE_FRAME_H

#include "timeline_read.h"

#include <stdio.h>

/* Pixels. */
enum {
    LEFT = 92,   /* of the rows: their names */
    RIGHT = 24,  /* beside them */
    PLOT = 1084, /* pixels of the time */
    WIDTH = LEFT + PLOT + RIGHT,
    TOP = 138, /* above the rows: title, two lines of legend, axis */
    BOTTOM = 34,
    ROW_MAX = 34,
    ROW_MIN = 12,
    ROWS = 900, /* pixels of all rows, as long as they can be that low */
    TICK = 90,  /* pixels between two, about */
    BREAK = 44, /* pixels of what is left out */
    BREAKS_MAX = 12,
};

struct picture {
    const struct timeline *t;
    int recovery;
    FILE *f;
    int64_t *ns; /* all moments of the recovery, sorted, each once */
    double *x;   /* where they are, in pixels from the left of the rows */
    size_t count;
    double pixels_a_ns;
    size_t breaks;
    int64_t longest_ns; /* that is not broken */
    int64_t step_ns;    /* between two ticks */
    int64_t zero_ns;    /* the first death */
    int dead;           /* that rank */
    double row;         /* pixels of one */
    bool *is_shown;     /* by rank */
    int *place;         /* by rank: its row */
    int rows;
};

/* Marks, around 0 in a square from -6 to 6. */
#define CROSS   "<path d=\"M-6 -6 L6 6 M-6 6 L6 -6\"/>"
#define DIAMOND "<path d=\"M0 -6 L5 0 L0 6 L-5 0 Z\"/>"
#define DISC    "<circle r=\"5\"/>"
#define RING    "<circle r=\"4\"/>"

static inline bool timeline_is_drawn(const struct picture *p, const struct timeline_event *e)
{
    return e->recovery == p->recovery;
}

static inline double timeline_bottom(const struct picture *p)
{
    return TOP + p->row * p->rows;
}

/* Whether ticks are in milliseconds. */
static inline bool timeline_is_in_ms(const struct picture *p)
{
    return p->step_ns >= 1000000;
}

/* Rows are low, and arrows many. */
static inline bool timeline_is_dense(const struct picture *p)
{
    return p->row < 20;
}

/* All that stands before what happened: the element itself, its colours, title and legend. */
void timeline_draw_head(const struct picture *p);

/* The class, hence the colour, of a phase, and of the messages in it. */
const char *timeline_class(const struct timeline_event *e);

/* @text as XML; "12.5 µs", or from 10 ms on "12.5 ms", with a minus if it is before. */
void timeline_write_text(FILE *f, const char *text);
void timeline_write_us(FILE *f, int64_t ns);

#endif
