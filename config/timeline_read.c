/* Reads a trace, and finds out what belongs to which recovery. */
#include "timeline_read.h"

#include "command.h"

#include <stdlib.h>
#include <string.h>

/* ---- one event ---- */

/* "cat" of what the library writes, and how often: begin and end of a message are one event here.
 */
static const struct {
    const char *category;
    enum timeline_kind kind;
} kinds[] = {
    {"operation", TIMELINE_OPERATION}, {"attempt", TIMELINE_ATTEMPT}, {"phase", TIMELINE_PHASE},
    {"message", TIMELINE_MESSAGE},     {"death", TIMELINE_DEATH},     {"noticed", TIMELINE_NOTICED},
    {"taken", TIMELINE_TAKEN},         {"result", TIMELINE_RESULT},
};

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static bool find_kind(const json_t *object, enum timeline_kind *kind)
{
    const char *category = text_of(object, "cat");

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].category, category) == 0) {
            *kind = kinds[i].kind;
            return true;
        }
    return false;
}

/* Of microseconds; false for what is no time of a job. */
static bool read_ns(const json_t *object, const char *key, int64_t *ns)
{
    double us = json_number_value(json_object_get(object, key));

    if (!json_is_number(json_object_get(object, key)) || !(us >= 0 && us < 1e14))
        return false;
    *ns = (int64_t)(us * 1e3 + 0.5);
    return true;
}

static int read_rank(const json_t *object, const char *key, int ranks)
{
    const json_t *value = json_object_get(object, key);
    json_int_t rank = json_integer_value(value);

    return json_is_integer(value) && rank >= 0 && rank < ranks ? (int)rank : -1;
}

static int read_peer(const json_t *arguments, int ranks)
{
    int peer = read_rank(arguments, "to", ranks);

    return peer >= 0 ? peer : read_rank(arguments, "rank", ranks);
}

/* False for what has no place in a picture: names of rows, ends of messages, events of others. */
static bool read_event(const json_t *object, int ranks, struct timeline_event *e)
{
    const json_t *arguments = json_object_get(object, "args");
    char phase = text_of(object, "ph")[0];
    int64_t duration_ns = 0;

    if (!find_kind(object, &e->kind) || phase == 'f' || !read_ns(object, "ts", &e->ns) ||
        (phase == 'X' && !read_ns(object, "dur", &duration_ns)))
        return false;
    if (e->kind == TIMELINE_MESSAGE && phase != 's') {
        if (!json_object_get(arguments, "taken"))
            return false; /* to or from another host, whose trace has its other end */
        e->kind = TIMELINE_LOST;
    }
    e->rank = read_rank(object, "pid", ranks);
    e->peer = read_peer(arguments, ranks);
    e->end_ns = e->ns + duration_ns;
    e->communicator = text_of(arguments, "communicator");
    e->seq = json_integer_value(json_object_get(arguments, "seq"));
    e->name = text_of(object, "name");
    e->recovery = -1;
    return e->rank >= 0 && (e->kind < TIMELINE_MESSAGE || e->kind == TIMELINE_DEATH ||
                            e->kind == TIMELINE_RESULT || e->peer >= 0);
}

/* ---- both ends of a message ---- */

struct end {
    json_int_t id;
    int64_t ns;
    size_t at;
    struct timeline_event *begin; /* NULL: this is the end */
};

static int by_id(const void *a, const void *b)
{
    const struct end *left = a, *right = b;

    if (left->id != right->id)
        return left->id < right->id ? -1 : 1;
    return (left->begin == NULL) - (right->begin == NULL);
}

static void join(struct end *end, size_t count)
{
    qsort(end, count, sizeof *end, by_id);
    for (size_t i = 0; i < count; i++) {
        if (!end[i].begin)
            continue;
        if (i + 1 == count || end[i + 1].begin || end[i + 1].id != end[i].id) {
            end[i].begin->kind = TIMELINE_LOST;
            continue;
        }
        end[i].begin->end_ns = end[i + 1].ns;
        end[i].begin->end_at = end[i + 1].at;
    }
}

/* Of the events at @list, those that can be drawn; @end has room for each. */
static void read_events(struct timeline *t, const json_t *list, struct end *end)
{
    size_t ends = 0, i;
    const json_t *object;

    json_array_foreach(list, i, object)
    {
        struct timeline_event *e = &t->event[t->count];
        char phase = text_of(object, "ph")[0];
        bool is_drawn = read_event(object, t->ranks, e);

        e->at = e->end_at = i;
        if (is_drawn)
            t->count++;
        if (phase == 'f' || (is_drawn && phase == 's')) {
            end[ends] = (struct end){.id = json_integer_value(json_object_get(object, "id")),
                                     .at = i,
                                     .begin = is_drawn ? e : NULL};
            ends += read_ns(object, "ts", &end[ends].ns);
        }
    }
    join(end, ends);
}

/* ---- recoveries ---- */

static int by_operation(const struct timeline_event *a, const struct timeline_event *b)
{
    int order = strcmp(a->communicator, b->communicator);

    return order ? order : (a->seq > b->seq) - (a->seq < b->seq);
}

/* That somebody has noticed a death. */
struct meeting {
    const struct timeline_event *event;
};

static int by_place_of_operation(const void *a, const void *b)
{
    const struct meeting *left = a, *right = b;

    return by_operation(left->event, right->event);
}

/* Deaths that the same operation has met are of one recovery: @number by rank, -1 if it lives. */
static void unite(int *number, int ranks, int one, int other)
{
    int kept = number[one], gone = number[other];

    for (int rank = 0; rank < ranks && gone >= 0; rank++)
        if (number[rank] == gone)
            number[rank] = kept;
}

static void number_by_time(struct timeline *t, int *number)
{
    for (size_t i = 0; i < t->count; i++) /* which stand in the order of time */
        if (t->event[i].kind == TIMELINE_DEATH) {
            int first = number[t->event[i].rank];

            if (first < t->ranks)
                continue;
            for (int rank = 0; rank < t->ranks; rank++)
                number[rank] = number[rank] == first ? t->recoveries : number[rank];
            t->recoveries++;
        }
}

/* @noticed are sorted by their operations. */
static void number_recoveries(struct timeline *t, int *number, const struct meeting *noticed,
                              size_t count)
{
    for (int rank = 0; rank < t->ranks; rank++)
        number[rank] = -1;
    for (size_t i = 0; i < count; i++)
        number[noticed[i].event->peer] =
            t->ranks + noticed[i].event->peer; /* not yet in the order of time */
    for (size_t i = 1; i < count; i++)
        if (by_operation(noticed[i - 1].event, noticed[i].event) == 0)
            unite(number, t->ranks, noticed[i - 1].event->peer, noticed[i].event->peer);
    number_by_time(t, number);
}

static void assign(struct timeline *t, const int *number, const struct meeting *noticed,
                   size_t count)
{
    for (size_t i = 0; i < t->count; i++) {
        struct timeline_event *e = &t->event[i];
        const struct meeting key = {.event = e}, *met;

        if (e->kind == TIMELINE_DEATH) {
            e->recovery = number[e->rank];
            continue;
        }
        met = bsearch(&key, noticed, count, sizeof *noticed, by_place_of_operation);
        if (met)
            e->recovery = number[met->event->peer];
    }
}

static void find_recoveries(struct timeline *t, struct meeting *noticed, int *number)
{
    size_t count = 0;

    for (size_t i = 0; i < t->count; i++)
        if (t->event[i].kind == TIMELINE_NOTICED)
            noticed[count++].event = &t->event[i];
    qsort(noticed, count, sizeof *noticed, by_place_of_operation);
    number_recoveries(t, number, noticed, count);
    assign(t, number, noticed, count);
}

/* ---- the file ---- */

static bool take_events(struct timeline *t, const json_t *list)
{
    size_t room = json_array_size(list) + 1;
    struct end *end = calloc(room, sizeof *end);
    struct meeting *noticed = calloc(room, sizeof *noticed);
    int *number = calloc((size_t)t->ranks, sizeof *number);
    bool has_memory;

    t->event = calloc(room, sizeof *t->event);
    has_memory = t->event && end && noticed && number;
    if (has_memory) {
        read_events(t, list, end);
        find_recoveries(t, noticed, number);
    }
    free(end);
    free(noticed);
    free(number);
    return has_memory;
}

enum { RANKS_MAX = 1 << 20 };

bool timeline_read(struct timeline *t, const char *path)
{
    json_error_t error;
    json_t *list;
    json_int_t ranks;

    *t = (struct timeline){.root = json_load_file(path, 0, &error)};
    if (!t->root && error.line < 0)
        ftc_command_say("%s", error.text);
    else if (!t->root)
        ftc_command_say("%s:%d: no JSON: %s", path, error.line, error.text);
    if (!t->root)
        return false;
    list = json_object_get(t->root, "traceEvents");
    ranks = json_integer_value(json_object_get(json_object_get(t->root, "otherData"), "ranks"));
    t->ranks = (int)ranks;
    if (!json_is_array(list) || ranks < 1 || ranks > RANKS_MAX)
        ftc_command_say("%s: not a trace that setting trace_file has made: it has no %s", path,
                        json_is_array(list) ? "number of ranks in otherData" : "list traceEvents");
    else if (!take_events(t, list))
        ftc_command_say("%s: no memory for it", path);
    else
        return true;
    timeline_free(t);
    return false;
}

void timeline_free(struct timeline *t)
{
    free(t->event);
    json_decref(t->root);
    *t = (struct timeline){0};
}
