/* ftcoll timeline: the picture of a recovery, or its part of the trace. */
#include "command.h"
#include "timeline_draw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct wish {
    const char *path, *output;
    int recovery; /* from 1 on; 0: the first */
};

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);

    return length > tail && strcmp(text + length - tail, end) == 0;
}

/* What belongs to @recovery, and the names of rows: in the order of the file. */
static bool keep(const struct timeline *t, int recovery, bool is_kept[], json_t *all, json_t *some)
{
    json_t *object;
    size_t i;

    for (i = 0; i < t->count; i++)
        if (t->event[i].recovery == recovery)
            is_kept[t->event[i].at] = is_kept[t->event[i].end_at] = true;
    json_array_foreach(all, i, object)
    {
        const char *phase = json_string_value(json_object_get(object, "ph"));

        if ((is_kept[i] || (phase && phase[0] == 'M')) && json_array_append(some, object) != 0)
            return false;
    }
    return true;
}

static bool write_json(const struct timeline *t, int recovery, FILE *f)
{
    json_t *all = json_object_get(t->root, "traceEvents"), *some = json_array();
    json_t *root = json_copy(t->root);
    bool *is_kept = calloc(json_array_size(all) + 1, sizeof *is_kept), has_memory;

    has_memory = is_kept && root && some && json_object_set_new(root, "traceEvents", some) == 0 &&
                 keep(t, recovery, is_kept, all, some) && json_dumpf(root, f, JSON_COMPACT) == 0;
    free(is_kept);
    json_decref(root);
    return has_memory;
}

static bool write_as(const char *path, const struct timeline *t, int recovery, FILE *f)
{
    if (ends_with(path, ".json"))
        return write_json(t, recovery, f);
    return ends_with(path, ".svg") ? timeline_draw_svg(t, recovery, f)
                                   : timeline_draw_page(t, recovery, f);
}

/* Returns 0 or an errno. */
static int write_and_close(FILE *f, const char *path, const struct timeline *t, int recovery)
{
    int error;

    errno = 0;
    error = write_as(path, t, recovery, f) ? 0 : ENOMEM;
    if (ferror(f) || fflush(f) != 0)
        error = errno;
    return fclose(f) == 0 || error != 0 ? error : errno;
}

static int write_file(const char *path, const struct timeline *t, int recovery)
{
    FILE *f = fopen(path, "w");
    int error = f ? write_and_close(f, path, t, recovery) : errno;

    if (!f)
        ftc_command_say("%s: %s", path, strerror(error));
    else if (error != 0)
        ftc_command_say("%s: cannot be written: %s", path, strerror(error));
    return error == 0 ? FTC_COMMAND_GOOD : FTC_COMMAND_BAD;
}

static int draw(const struct wish *wish)
{
    struct timeline t;
    int status = FTC_COMMAND_BAD, recovery = wish->recovery > 0 ? wish->recovery : 1;

    if (!timeline_read(&t, wish->path))
        return status;
    if (t.recoveries == 0)
        ftc_command_say("%s: no operation in this trace met a death", wish->path);
    else if (recovery > t.recoveries)
        ftc_command_say("%s: it has %d recover%s, not %d", wish->path, t.recoveries,
                        t.recoveries == 1 ? "y" : "ies", recovery);
    else
        status = write_file(wish->output, &t, recovery - 1);
    if (status == FTC_COMMAND_GOOD)
        printf("%s: recovery %d of %d\n", wish->output, recovery, t.recoveries);
    timeline_free(&t);
    return status;
}

static int read_number(const char *text, struct argp_state *state)
{
    char *end;
    long number = strtol(text, &end, 10);

    if (end == text || *end || number < 1 || number > 1000000)
        argp_error(state, "--recovery %s is not allowed; allowed: a number from 1 on", text);
    return (int)number;
}

static error_t take(int key, char *argument, struct argp_state *state)
{
    struct wish *wish = state->input;

    switch (key) {
    case 'o':
        wish->output = argument;
        return 0;
    case 'r':
        wish->recovery = read_number(argument, state);
        return 0;
    case ARGP_KEY_ARG:
        if (wish->path)
            argp_error(state, "one trace at a time");
        wish->path = argument;
        return 0;
    case ARGP_KEY_END:
        if (!wish->path)
            argp_error(state, "which trace?");
        if (!wish->output || !(ends_with(wish->output, ".html") ||
                               ends_with(wish->output, ".svg") || ends_with(wish->output, ".json")))
            argp_error(state, "-o needs a file of the form NAME.html, NAME.svg or NAME.json");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int ftcoll_timeline(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"output", 'o', "FILE", 0,
         "output: NAME.html, a page with a picture, in one file; NAME.svg, the "
         "picture "
         "alone; or NAME.json, that part of the trace",
         0},
        {"recovery", 'r', "N", 0, "which recovery, from 1 on, if the trace has several", 0},
        {0}};
    static const struct argp argp = {options,
                                     take,
                                     "FILE -o OUTPUT",
                                     "Draws one recovery from a trace (setting trace_file): what "
                                     "each rank did from the operation "
                                     "that met a death to its result.",
                                     NULL,
                                     NULL,
                                     NULL};
    struct wish wish = {0};

    argp_parse(&argp, argc, argv, 0, NULL, &wish);
    return draw(&wish);
}
