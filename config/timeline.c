/* ftcoll timeline: a page that draws the recoveries of a trace.
 *
 * The script in config/timeline.html draws. The events of the recoveries follow the script in the
 * same file, so the page needs nothing else. */
#include "command.h"
#include "view.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of config/timeline.html, and their number (timeline_page.S). */
extern const char ftc_timeline_page[];
extern const uint64_t ftc_timeline_page_bytes;

struct wish {
    const char *path, *output;
};

/* Returns the trace at @path, or NULL after a message. */
static json_t *read_trace(const char *path)
{
    json_error_t error;
    json_t *trace = json_load_file(path, 0, &error);

    if (!trace && error.line < 0)
        ftc_command_say("%s", error.text);
    else if (!trace)
        ftc_command_say("%s:%d: no JSON: %s", path, error.line, error.text);
    return trace;
}

enum { NAME = 64 };

/* Writes a name that identifies the operation of @event: its communicator and its number. */
static void name_operation(char name[NAME], const json_t *event)
{
    snprintf(name, NAME, "%s #%" JSON_INTEGER_FORMAT,
             ftc_view_text(json_object_get(event, "args"), "communicator"),
             ftc_view_number(event, "args.seq"));
}

/* Writes the name of the rank at @path in @event to @name. */
static void name_rank(char name[NAME], const json_t *event, const char *path)
{
    snprintf(name, NAME, "rank %" JSON_INTEGER_FORMAT, ftc_view_number(event, path));
}

/* Returns a set of names: those of the operations that met a death, and those of the dead ranks. */
static json_t *find_met(const json_t *events)
{
    json_t *met = json_object();
    const json_t *event;
    char name[NAME];
    size_t i;

    json_array_foreach(events, i, event)
    {
        if (strcmp(ftc_view_text(event, "cat"), "noticed") != 0)
            continue;
        name_operation(name, event);
        json_object_set_new(met, name, json_true());
        name_rank(name, event, "args.rank");
        json_object_set_new(met, name, json_true());
    }
    return met;
}

/* Removes the events from @events that do not belong to a recovery. Returns how many deaths
 * remain. */
static size_t keep_recoveries(json_t *events, const json_t *met)
{
    json_t *kept = json_array(), *event;
    size_t deaths = 0, i;
    char name[NAME];

    json_array_foreach(events, i, event)
    {
        bool is_death = strcmp(ftc_view_text(event, "cat"), "death") == 0;

        if (is_death)
            name_rank(name, event, "pid");
        else
            name_operation(name, event);
        if (json_object_get(met, name)) {
            json_array_append(kept, event);
            deaths += is_death;
        }
    }
    json_array_clear(events);
    json_array_extend(events, kept);
    json_decref(kept);
    return deaths;
}

/* Reduces @trace, read from @path, to its recoveries. Returns false after a message if it has none
 * or is no trace. */
static bool reduce(json_t *trace, const char *path)
{
    json_t *events = json_object_get(trace, "traceEvents"), *met = find_met(events);
    bool is_trace = json_is_array(events) && ftc_view_number(trace, "otherData.ranks") > 0;
    bool has_recovery = false;

    if (!is_trace)
        ftc_command_say("%s: not a trace that setting trace_file has made: it has no %s", path,
                        json_is_array(events) ? "number of ranks in otherData"
                                              : "list traceEvents");
    else if (!(has_recovery = keep_recoveries(events, met) > 0))
        ftc_command_say("%s: no operation in this trace met a death", path);
    json_decref(met);
    return has_recovery;
}

/* Writes JSON inside a script element. Escapes '<', so that no text in the JSON can end the
 * element. */
static int write_inside(const char *part, size_t bytes, void *file)
{
    for (size_t i = 0; i < bytes; i++)
        if (part[i] == '<')
            fputs("\\u003c", file);
        else
            fputc(part[i], file);
    return 0;
}

/* Writes the page to @f and closes @f. Returns 0 or an errno. */
static int write_page(FILE *f, const json_t *trace)
{
    int error = 0;

    errno = 0;
    fwrite(ftc_timeline_page, 1, (size_t)ftc_timeline_page_bytes, f);
    if (json_dump_callback(trace, write_inside, f, JSON_COMPACT | JSON_ENSURE_ASCII) != 0)
        error = ENOMEM;
    fputs("</script></body></html>\n", f);
    if (ferror(f) || fflush(f) != 0)
        error = errno;
    return fclose(f) == 0 || error != 0 ? error : errno;
}

static int write_file(const char *path, const json_t *trace)
{
    FILE *f = fopen(path, "w");
    int error = f ? write_page(f, trace) : errno;

    if (!f)
        ftc_command_say("%s: %s", path, strerror(error));
    else if (error != 0)
        ftc_command_say("%s: cannot be written: %s", path, strerror(error));
    return error == 0 ? FTC_COMMAND_GOOD : FTC_COMMAND_BAD;
}

static int draw(const struct wish *wish)
{
    json_t *trace = read_trace(wish->path);
    int status = FTC_COMMAND_BAD;

    if (trace && reduce(trace, wish->path))
        status = write_file(wish->output, trace);
    json_decref(trace);
    return status;
}

static error_t take(int key, char *argument, struct argp_state *state)
{
    struct wish *wish = state->input;

    switch (key) {
    case 'o':
        wish->output = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (wish->path)
            argp_error(state, "one trace at a time");
        wish->path = argument;
        return 0;
    case ARGP_KEY_END:
        if (!wish->path)
            argp_error(state, "which trace?");
        if (!wish->output)
            argp_error(state, "-o needs the name of the page");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int ftcoll_timeline(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"output", 'o', "PAGE", 0, "output, for a browser (NAME.html)", 0}, {0}};
    static const struct argp argp = {options,
                                     take,
                                     "FILE -o PAGE",
                                     "Makes a page that draws the recoveries in a trace (setting "
                                     "trace_file): what each rank did from the operation that met "
                                     "a death to its result.",
                                     NULL,
                                     NULL,
                                     NULL};
    struct wish wish = {0};

    argp_parse(&argp, argc, argv, 0, NULL, &wish);
    return draw(&wish);
}
