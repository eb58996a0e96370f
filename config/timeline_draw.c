/* Draws one recovery: ranks are rows, time goes to the right, messages are arrows.
 *
 * A recovery is some bursts of a few microseconds with milliseconds between them. So the axis has
 * one scale, but where nothing happens for long it is broken, and says how much is left out. */
#include "timeline_draw.h"

#include "timeline_frame.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static void write_span(FILE *f, int64_t ns)
{
    if (ns >= 10000000)
        fprintf(f, "%" PRId64 " ms", (ns + 500000) / 1000000);
    else if (ns >= 1000000)
        fprintf(f, "%" PRId64 ".%" PRId64 " ms", ns / 1000000, ns % 1000000 / 100000);
    else
        fprintf(f, "%" PRId64 " µs", (ns + 500) / 1000);
}

/* ---- which moments there are, and where they lie ---- */

static int by_number(const void *a, const void *b)
{
    const int64_t *left = a, *right = b;

    return (*left > *right) - (*left < *right);
}

static void collect(struct picture *p)
{
    size_t kept = 0;

    for (size_t i = 0; i < p->t->count; i++) {
        const struct timeline_event *e = &p->t->event[i];

        if (!timeline_is_drawn(p, e))
            continue;
        p->ns[p->count++] = e->ns;
        p->ns[p->count++] = e->end_ns;
        p->is_shown[e->rank] = true;
        if (e->kind == TIMELINE_DEATH && p->dead < 0) {
            p->dead = e->rank;
            p->zero_ns = e->ns;
        }
    }
    qsort(p->ns, p->count, sizeof *p->ns, by_number);
    for (size_t i = 0; i < p->count; i++)
        if (kept == 0 || p->ns[i] != p->ns[kept - 1])
            p->ns[kept++] = p->ns[i];
    p->count = kept;
}

static int by_number_down(const void *a, const void *b)
{
    return by_number(b, a);
}

/* The first of 1, 2 or 5 times a power of ten that is not less than @ns. */
static int64_t nice(double ns)
{
    int64_t step = 1;

    for (int i = 0; (double)step < ns && step < INT64_MAX / 10; i++)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    return step;
}

/* What is longer than a fifth of all that is not left out is left out, the longest first. */
static void find_breaks(struct picture *p, int64_t *gap)
{
    size_t gaps = p->count > 0 ? p->count - 1 : 0, breaks = 0;
    double length = 1;

    for (size_t i = 0; i < gaps; i++) {
        gap[i] = p->ns[i + 1] - p->ns[i];
        length += (double)gap[i];
    }
    qsort(gap, gaps, sizeof *gap, by_number_down);
    while (breaks < gaps && breaks < BREAKS_MAX && 5 * (double)gap[breaks] > length)
        length -= (double)gap[breaks++];
    p->breaks = breaks;
    p->longest_ns = breaks < gaps ? gap[breaks] : 0;
    p->pixels_a_ns = (PLOT - BREAK * (double)breaks) / length;
    p->step_ns = nice(TICK / p->pixels_a_ns);
}

static bool is_broken(const struct picture *p, size_t i)
{
    return p->ns[i + 1] - p->ns[i] > p->longest_ns;
}

static void place_moments(struct picture *p)
{
    for (size_t i = 0; i + 1 < p->count; i++)
        p->x[i + 1] =
            p->x[i] +
            (is_broken(p, i) ? BREAK : p->pixels_a_ns * (double)(p->ns[i + 1] - p->ns[i]));
}

static void place_rows(struct picture *p)
{
    for (int rank = 0; rank < p->t->ranks; rank++)
        p->place[rank] = p->is_shown[rank] ? p->rows++ : -1;
    p->row = larger(ROW_MIN, smaller(ROW_MAX, (double)ROWS / p->rows));
}

/* Of a moment that is one of the list. */
static double x_of(const struct picture *p, int64_t ns)
{
    const int64_t *found = bsearch(&ns, p->ns, p->count, sizeof *p->ns, by_number);

    return LEFT + (found ? p->x[found - p->ns] : 0);
}

static double y_of(const struct picture *p, int rank)
{
    return TOP + p->row * (p->place[rank] + 0.5);
}

/* ---- the axis ---- */

static void draw_tick(const struct picture *p, double x, int64_t ns)
{
    int64_t unit = timeline_is_in_ms(p) ? 1000000 : 1000;

    fprintf(
        p->f,
        "<path class=\"grid\" d=\"M%.1f %d V%.1f\"/><text class=\"soft tick\" x=\"%.1f\" y=\"%d\">",
        x, TOP - 6, timeline_bottom(p), x, TOP - 11);
    if (ns % unit != 0)
        fprintf(p->f, "%.1f", (double)ns / (double)unit);
    else
        fprintf(p->f, "%s%" PRId64, ns < 0 ? "−" : "", (ns < 0 ? -ns : ns) / unit);
    fputs("</text>\n", p->f);
}

/* Round numbers between two moments that no break divides; the first too if a break is before it.
 */
static void draw_ticks(const struct picture *p, size_t from, size_t to, double *last_x)
{
    int64_t step = p->step_ns;
    int64_t first = p->ns[from] - p->zero_ns, last = p->ns[to] - p->zero_ns;
    int64_t tick = (first >= 0 ? (first + step - 1) / step : -(-first / step)) * step;

    for (; tick <= last; tick += step) {
        double x = LEFT + p->x[from] + p->pixels_a_ns * (double)(tick - first);

        if (x < *last_x + TICK / 2.0)
            continue;
        draw_tick(p, x, tick);
        *last_x = x;
    }
}

static void draw_break(const struct picture *p, size_t i)
{
    double x = LEFT + p->x[i], width = p->x[i + 1] - p->x[i];

    fprintf(p->f,
            "<rect class=\"break\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%.1f\"/>"
            "<text class=\"soft gap\" x=\"%.1f\" y=\"%.1f\">",
            x, TOP, width, timeline_bottom(p) - TOP, x + width / 2, timeline_bottom(p) + 14);
    write_span(p->f, p->ns[i + 1] - p->ns[i]);
    fputs("</text>\n", p->f);
}

static void draw_axis(const struct picture *p)
{
    double last_x = -TICK;
    size_t from = 0;

    for (size_t i = 0; i < p->count; i++) {
        if (i + 1 < p->count && !is_broken(p, i))
            continue;
        draw_ticks(p, from, i, &last_x);
        if (i + 1 < p->count)
            draw_break(p, i);
        from = i + 1;
    }
}

/* ---- what happened ---- */

/* "rank 3: tree, from 12.0 to 19.5 us after the death": shown by whoever points at it. */
static void write_hint(const struct picture *p, const struct timeline_event *e)
{
    fprintf(p->f, "<title>rank %d", e->rank);
    if (e->kind == TIMELINE_MESSAGE || e->kind == TIMELINE_LOST)
        fprintf(p->f, " to rank %d", e->peer);
    fputs(": ", p->f);
    timeline_write_text(p->f, e->name);
    if (e->kind == TIMELINE_LOST)
        fputs(", which no rank took", p->f);
    fputs("\n", p->f);
    timeline_write_us(p->f, e->ns - p->zero_ns);
    if (e->end_ns > e->ns) {
        fputs(" to ", p->f);
        timeline_write_us(p->f, e->end_ns - p->zero_ns);
        fputs(" (", p->f);
        timeline_write_us(p->f, e->end_ns - e->ns);
        fputs(")", p->f);
    }
    fputs("</title>", p->f);
}

static void draw_bar(const struct picture *p, const struct timeline_event *e, const char *class,
                     double share)
{
    double x = x_of(p, e->ns), height = share * p->row;

    fprintf(p->f,
            "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"1.5\">",
            class, x, y_of(p, e->rank) - height / 2, larger(1, x_of(p, e->end_ns) - x), height);
    write_hint(p, e);
    fputs("</rect>\n", p->f);
}

/* The number of an operation stands above its bar, if there is room. */
static void draw_operation(const struct picture *p, const struct timeline_event *e)
{
    enum { LEAST_WIDTH = 24 };
    const char *number = strchr(e->name, '#');
    double x = x_of(p, e->ns);

    draw_bar(p, e, "operation", 0.72);
    if (!number || timeline_is_dense(p) || x_of(p, e->end_ns) - x < LEAST_WIDTH)
        return;
    fprintf(p->f, "<text class=\"soft number\" x=\"%.1f\" y=\"%.1f\">", x + 2,
            y_of(p, e->rank) - 0.36 * p->row - 1);
    timeline_write_text(p->f, number);
    fputs("</text>\n", p->f);
}

static void draw_arrow(const struct picture *p, const struct timeline_event *e)
{
    double x = x_of(p, e->ns), y = y_of(p, e->rank);
    double end_x = x_of(p, e->end_ns), end_y = y_of(p, e->peer);
    double inset = 0.2 * p->row * (end_y > y ? 1 : -1);
    const char *class = timeline_class(e);

    fprintf(p->f, "<path class=\"arrow %s\" marker-end=\"url(#%s)\" d=\"M%.1f %.1f L%.1f %.1f\">",
            class, class, x, y + inset, end_x, end_y - inset);
    write_hint(p, e);
    fputs("</path>\n", p->f);
}

/* A stump, towards the one who did not take it. */
static void draw_lost(const struct picture *p, const struct timeline_event *e)
{
    double x = x_of(p, e->ns), y = y_of(p, e->rank), down = 0.7 * p->row;

    if (p->place[e->peer] >= 0 && y_of(p, e->peer) < y)
        down = -down;
    fprintf(p->f, "<path class=\"arrow lost %s\" d=\"M%.1f %.1f l4 %.1f\">", timeline_class(e), x,
            y, down);
    write_hint(p, e);
    fputs("</path>\n", p->f);
}

/* @shape is drawn around 0 in a square from -5 to 5. */
static void draw_mark(const struct picture *p, const struct timeline_event *e, const char *class,
                      const char *shape)
{
    fprintf(p->f, "<g class=\"mark %s\" transform=\"translate(%.1f %.1f) scale(%.2f)\">", class,
            x_of(p, e->ns), y_of(p, e->rank), timeline_is_dense(p) ? 0.62 : 1.0);
    write_hint(p, e);
    fprintf(p->f, "%s</g>\n", shape);
}

static void draw_event(const struct picture *p, const struct timeline_event *e,
                       enum timeline_kind kind)
{
    if (e->kind != kind || !timeline_is_drawn(p, e))
        return;
    switch (kind) {
    case TIMELINE_OPERATION:
        draw_operation(p, e);
        break;
    case TIMELINE_ATTEMPT:
        draw_bar(p, e, "attempt", 0.62);
        break;
    case TIMELINE_PHASE:
        draw_bar(p, e, timeline_class(e), 0.44);
        break;
    case TIMELINE_MESSAGE:
        if (p->place[e->peer] >= 0)
            draw_arrow(p, e);
        break;
    case TIMELINE_LOST:
        draw_lost(p, e);
        break;
    case TIMELINE_DEATH:
        draw_mark(p, e, "death", CROSS);
        break;
    case TIMELINE_NOTICED:
        draw_mark(p, e, "noticed", DIAMOND);
        break;
    case TIMELINE_TAKEN:
        draw_mark(p, e, "taken", RING);
        break;
    case TIMELINE_RESULT:
        draw_mark(p, e, "result", DISC);
        break;
    }
}

static void draw_rows(const struct picture *p)
{
    for (int rank = 0; rank < p->t->ranks; rank++)
        if (p->place[rank] >= 0)
            fprintf(p->f,
                    "<text class=\"rank\" x=\"%d\" y=\"%.1f\">rank %d</text>"
                    "<path class=\"row\" d=\"M%d %.1f H%d\"/>\n",
                    LEFT - 10, y_of(p, rank) + 4, rank, LEFT, y_of(p, rank), LEFT + PLOT);
}

/* A line through all rows: nothing is awaited of the dead any more. */
static void draw_deaths(const struct picture *p)
{
    for (size_t i = 0; i < p->t->count; i++) {
        const struct timeline_event *e = &p->t->event[i];

        if (e->kind == TIMELINE_DEATH && timeline_is_drawn(p, e))
            fprintf(p->f, "<path class=\"end\" d=\"M%.1f %d V%.1f\"/>\n", x_of(p, e->ns), TOP,
                    timeline_bottom(p));
    }
}

static void draw_all(const struct picture *p)
{
    static const enum timeline_kind order[] = {
        TIMELINE_OPERATION, TIMELINE_ATTEMPT, TIMELINE_PHASE, TIMELINE_LOST,   TIMELINE_MESSAGE,
        TIMELINE_NOTICED,   TIMELINE_TAKEN,   TIMELINE_DEATH, TIMELINE_RESULT,
    };

    timeline_draw_head(p);
    draw_axis(p);
    draw_rows(p);
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        if (order[k] == TIMELINE_NOTICED)
            draw_deaths(p);
        for (size_t i = 0; i < p->t->count; i++)
            draw_event(p, &p->t->event[i], order[k]);
    }
    fputs("</svg>\n", p->f);
}

bool timeline_draw_svg(const struct timeline *t, int recovery, FILE *f)
{
    struct picture p = {.t = t, .recovery = recovery, .f = f, .dead = -1};
    int64_t *gap = calloc(2 * t->count + 1, sizeof *gap);
    bool has_memory;

    p.ns = calloc(2 * t->count + 1, sizeof *p.ns);
    p.x = calloc(2 * t->count + 1, sizeof *p.x);
    p.is_shown = calloc((size_t)t->ranks, sizeof *p.is_shown);
    p.place = calloc((size_t)t->ranks, sizeof *p.place);
    has_memory = gap && p.ns && p.x && p.is_shown && p.place;
    if (has_memory) {
        collect(&p);
        find_breaks(&p, gap);
        place_moments(&p);
        place_rows(&p);
        draw_all(&p);
    }
    free(gap);
    free(p.ns);
    free(p.x);
    free(p.is_shown);
    free(p.place);
    return has_memory;
}

/* ---- the page ---- */

bool timeline_draw_page(const struct timeline *t, int recovery, FILE *f)
{
    bool has_memory;

    fprintf(
        f,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
        "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width\"/>\n"
        "<title>ftcoll: recovery %d of %d</title>\n"
        "<style>body{margin:1rem auto;max-width:%dpx;background:#fff}svg{width:100%%;height:auto}\n"
        "@media (prefers-color-scheme:dark){body{background:#15181c}}</style></head><body>\n",
        recovery + 1, t->recoveries, WIDTH + 200);
    has_memory = timeline_draw_svg(t, recovery, f);
    fputs("</body></html>\n", f);
    return has_memory;
}
