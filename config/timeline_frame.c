#include "timeline_frame.h"

#include <inttypes.h>
#include <string.h>

/* ---- words ---- */

void timeline_write_text(FILE *f, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", f);
        else if (*text == '>')
            fputs("&gt;", f);
        else if (*text == '&')
            fputs("&amp;", f);
        else if (*text == '"')
            fputs("&quot;", f);
        else
            fputc((unsigned char)*text < ' ' ? ' ' : *text, f);
    }
}

/* "1234.5 us after": a place has one digit behind the point, which is what one can tell apart. */
void timeline_write_us(FILE *f, int64_t ns)
{
    int64_t size = ns < 0 ? -ns : ns;
    bool in_ms = size >= 10000000;
    int64_t unit = in_ms ? 1000000 : 1000;

    fprintf(f, "%s%" PRId64 ".%" PRId64 " %s", ns < 0 ? "−" : "", size / unit,
            size % unit * 10 / unit, in_ms ? "ms" : "µs");
}

static const struct {
    const char *name, *class;
} phases[] = {
    {"exchange", "doubling"},
    {"up-correction", "correction"},
    {"tree", "tree"},
    {"corrected broadcast", "dissemination"},
    {"broadcast", "dissemination"},
    {"confirmation", "confirmation"},
};

/* Of a phase, and of the messages in it. */
const char *timeline_class(const struct timeline_event *e)
{
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
        if (strcmp(phases[i].name, e->name) == 0)
            return phases[i].class;
    return "other";
}

/* ---- title and legend ---- */

struct summary {
    const struct timeline_event *death, *first_noticed, *last_result, *operation;
    int deaths, results;
};

/* In which @noticed was. */
static const struct timeline_event *operation_of(const struct picture *p,
                                                 const struct timeline_event *noticed)
{
    for (size_t i = 0; i < p->t->count && noticed; i++) {
        const struct timeline_event *e = &p->t->event[i];

        if (e->kind == TIMELINE_OPERATION && e->seq == noticed->seq &&
            strcmp(e->communicator, noticed->communicator) == 0)
            return e;
    }
    return NULL;
}

static struct summary summarize(const struct picture *p)
{
    struct summary s = {0};

    for (size_t i = 0; i < p->t->count; i++) {
        const struct timeline_event *e = &p->t->event[i];

        if (!timeline_is_drawn(p, e))
            continue;
        if (e->kind == TIMELINE_DEATH && s.deaths++ == 0)
            s.death = e;
        if (e->kind == TIMELINE_NOTICED && !s.first_noticed)
            s.first_noticed = e;
        if (e->kind == TIMELINE_RESULT) {
            s.last_result = e;
            s.results++;
        }
    }
    s.operation = operation_of(p, s.first_noticed);
    return s;
}

static void write_title(const struct picture *p, const struct summary *s)
{
    if (s->death)
        timeline_write_text(p->f, s->death->name);
    if (s->deaths > 1)
        fprintf(p->f, ", and %d more", s->deaths - 1);
    if (s->operation) {
        fputs("; missed in ", p->f);
        timeline_write_text(p->f, s->operation->name);
    }
}

static void write_outcome(const struct picture *p, const struct summary *s)
{
    if (s->first_noticed) {
        fprintf(p->f, "noticed first by rank %d, after ", s->first_noticed->rank);
        timeline_write_us(p->f, s->first_noticed->ns - p->zero_ns);
    }
    if (s->last_result) {
        fputs("; the last result after ", p->f);
        timeline_write_us(p->f, s->last_result->ns - p->zero_ns);
        fprintf(p->f, ", at rank %d", s->last_result->rank);
    }
}

#define SWATCH(class)                                                                              \
    "<rect class=\"" class "\" x=\"-9\" y=\"-5\" width=\"18\" height=\"10\" rx=\"1.5\"/>"
#define MARK(class, shape) "<g class=\"mark " class "\">" shape "</g>"

/* What a picture can have; of phases with that class. */
static const struct entry {
    enum timeline_kind kind;
    const char *class, *shape, *text;
} entries[] = {
    {TIMELINE_OPERATION, NULL, SWATCH("operation"), "operation"},
    {TIMELINE_ATTEMPT, NULL, SWATCH("attempt"), "attempt"},
    {TIMELINE_PHASE, "doubling", SWATCH("doubling"), "optimistic attempt"},
    {TIMELINE_PHASE, "correction", SWATCH("correction"), "up-correction"},
    {TIMELINE_PHASE, "tree", SWATCH("tree"), "tree"},
    {TIMELINE_PHASE, "dissemination", SWATCH("dissemination"), "corrected broadcast"},
    {TIMELINE_PHASE, "confirmation", SWATCH("confirmation"), "confirmation"},
    {TIMELINE_LOST, NULL, "<path class=\"arrow lost other\" d=\"M-2 -7 l4 14\"/>",
     "message that no rank took"},
    {TIMELINE_DEATH, NULL, MARK("death", CROSS), "death"},
    {TIMELINE_NOTICED, NULL, MARK("noticed", DIAMOND), "notices it"},
    {TIMELINE_TAKEN, NULL, MARK("taken", RING), "takes a published result"},
    {TIMELINE_RESULT, NULL, MARK("result", DISC), "has the result"},
};

static bool has_any(const struct picture *p, const struct entry *entry)
{
    for (size_t i = 0; i < p->t->count; i++) {
        const struct timeline_event *e = &p->t->event[i];

        if (timeline_is_drawn(p, e) && e->kind == entry->kind &&
            (!entry->class || strcmp(entry->class, timeline_class(e)) == 0))
            return true;
    }
    return false;
}

struct legend {
    double x;
    int y;
};

static void draw_entry(const struct picture *p, struct legend *at, const char *shape,
                       const char *text)
{
    double width = 44 + 6.3 * (double)strlen(text);

    if (at->x + width > LEFT + PLOT)
        *at = (struct legend){LEFT + 9, at->y + 20};
    fprintf(p->f, "<g transform=\"translate(%.0f %d)\">%s<text x=\"15\" y=\"4\">%s</text></g>\n",
            at->x, at->y, shape, text);
    at->x += width;
}

static void draw_legend(const struct picture *p)
{
    struct legend at = {LEFT + 9, 72};

    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (has_any(p, &entries[i]))
            draw_entry(p, &at, entries[i].shape, entries[i].text);
    if (p->breaks > 0)
        draw_entry(p, &at, SWATCH("break"), "time left out");
}

/* Colours of Okabe and Ito, which everybody can tell apart; marks differ in shape as well. */
static const char style[] =
    "text{font:12px system-ui,sans-serif}.dense .rank{font-size:10px}"
    ".title{font-size:17px;font-weight:600}\n"
    ".rank,.unit{text-anchor:end}.tick,.gap{text-anchor:middle}"
    ".unit,.tick,.gap{font-size:11px}.number{font-size:9px}\n"
    ".page{fill:#fff}text{fill:#1d2126}.soft{fill:#6b7480}.break{fill:#f1f3f5}\n"
    ".grid,.row{stroke:#e3e6ea}.operation{stroke:#6b7480}.attempt,.other{fill:#6b7480}\n"
    ".doubling{fill:#9aa4af}.correction{fill:#e69f00}.tree{fill:#009e73}"
    ".dissemination{fill:#0072b2}.confirmation{fill:#cc79a7}\n"
    ".arrow.doubling{stroke:#9aa4af}.arrow.correction{stroke:#e69f00}"
    ".arrow.tree{stroke:#009e73}.arrow.dissemination{stroke:#0072b2}"
    ".arrow.other{stroke:#6b7480}\n"
    ".mark{stroke:#1d2126;fill:#fff}.mark.result{fill:#1d2126}"
    ".mark.death,.end{stroke:#d55e00}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".page{fill:#15181c}text{fill:#e8eaed}.soft{fill:#9aa3ad}.break{fill:#20252b}\n"
    ".grid,.row{stroke:#2a2f36}.operation{stroke:#9aa3ad}.attempt,.other{fill:#9aa3ad}\n"
    ".doubling{fill:#6f7a86}.correction{fill:#f0b429}.tree{fill:#1fc795}"
    ".dissemination{fill:#56b4e9}.confirmation{fill:#e39cc4}\n"
    ".arrow.doubling{stroke:#6f7a86}.arrow.correction{stroke:#f0b429}"
    ".arrow.tree{stroke:#1fc795}.arrow.dissemination{stroke:#56b4e9}"
    ".arrow.other{stroke:#9aa3ad}\n"
    ".mark{stroke:#e8eaed;fill:#15181c}.mark.result{fill:#e8eaed}"
    ".mark.death,.end{stroke:#ff7b39}\n"
    "}\n"
    ".grid,.row,.end,.operation,.arrow,.mark.taken,.mark.death{fill:none}"
    ".operation{stroke-width:.7}.attempt{fill-opacity:.16}\n"
    ".arrow{stroke-width:1.4;opacity:.9}.dense .arrow{stroke-width:.6;opacity:.6}"
    ".arrow:hover{opacity:1;stroke-width:3}\n"
    ".lost{stroke-dasharray:2 2}.end{stroke-dasharray:4 3}.mark{stroke-width:1.3}"
    ".mark.taken{stroke-width:2}.mark.death{stroke-width:3}\n";

static void draw_heads(const struct picture *p)
{
    static const char *const classes[] = {"doubling", "correction", "tree", "dissemination",
                                          "other"};

    fputs("<defs>", p->f);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        fprintf(
            p->f,
            "<marker id=\"%s\" class=\"%s\" viewBox=\"0 0 6 6\" refX=\"5.5\" refY=\"3\" "
            "markerWidth=\"%d\" markerHeight=\"%d\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
            "<path d=\"M0 0 L6 3 L0 6 Z\"/></marker>",
            classes[i], classes[i], timeline_is_dense(p) ? 4 : 7, timeline_is_dense(p) ? 4 : 7);
    fputs("</defs>\n", p->f);
}

void timeline_draw_head(const struct picture *p)
{
    struct summary s = summarize(p);
    double height = timeline_bottom(p) + BOTTOM;

    fprintf(p->f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
            "height=\"%.0f\" "
            "role=\"img\" class=\"%s\">\n<style>\n%s</style>\n",
            WIDTH, height, WIDTH, height, timeline_is_dense(p) ? "dense" : "wide", style);
    draw_heads(p);
    fprintf(p->f,
            "<rect class=\"page\" width=\"%d\" height=\"%.0f\"/>\n<text class=\"title\" x=\"%d\" "
            "y=\"22\">",
            WIDTH, height, LEFT);
    write_title(p, &s);
    fprintf(p->f, "</text>\n<text class=\"soft\" x=\"%d\" y=\"45\">", LEFT);
    write_outcome(p, &s);
    fprintf(p->f, "</text>\n<text class=\"soft unit\" x=\"%d\" y=\"%d\">%s since death</text>\n",
            LEFT - 10, TOP - 27, timeline_is_in_ms(p) ? "ms" : "µs");
    draw_legend(p);
}
