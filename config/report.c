/* ftcoll report: prints tables from reports and records in JSON. A file may also be a log that
 * contains them. */
#include "command.h"
#include "report_text.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { SCHEMA_KNOWN = 1 };

struct found {
    const char *file;
    json_t *reports;             /* reports of all files */
    json_t *records;             /* records of this file */
    int reports_here, bad_lines; /* numbers for this file */
};

/* ---- contents of a file ---- */

static void take_report(struct found *f, json_t *object, int line)
{
    json_int_t schema = json_integer_value(json_object_get(object, "schema"));

    if (schema > SCHEMA_KNOWN)
        ftc_command_say("%s:%d: the report is of schema %d, and this command knows %d; something "
                        "may be missing",
                        f->file, line, (int)schema, SCHEMA_KNOWN);
    json_object_set_new(object, "file", json_sprintf("%s:%d", f->file, line));
    json_array_append(f->reports, object);
    f->reports_here++;
}

/* Takes @object if it is a report or a record. Ignores other objects, which a log may contain. */
static void take(struct found *f, json_t *object, int line)
{
    const char *kind = json_string_value(json_object_get(object, "ftcoll"));

    if (kind && strcmp(kind, "report") == 0)
        take_report(f, object, line);
    else if (kind && strcmp(kind, "record") == 0)
        json_array_append(f->records, object);
}

static bool is_ours(const char *line)
{
    static const char start[] = "{\"ftcoll\":";

    return strncmp(line, start, sizeof start - 1) == 0;
}

static void take_line(struct found *f, const char *text, size_t length, int line)
{
    json_error_t error;
    json_t *object = *text == '{' ? json_loadb(text, length, 0, &error) : NULL;

    if (object) {
        take(f, object, line);
        json_decref(object);
    } else if (is_ours(text)) {
        ftc_command_say("%s:%d: the line is cut or damaged: %s", f->file, line, error.text);
        f->bad_lines++;
    }
}

static void take_lines(struct found *f, FILE *file)
{
    char *text = NULL;
    size_t size = 0;
    ssize_t length;

    for (int line = 1; (length = getline(&text, &size, file)) > 0; line++)
        take_line(f, text, (size_t)length, line);
    free(text);
}

/* Takes the whole file as one object. Other programs may have written it in many lines. */
static void take_whole(struct found *f, FILE *file)
{
    json_t *object = fseek(file, 0, SEEK_SET) == 0 ? json_loadf(file, 0, NULL) : NULL;

    if (object)
        take(f, object, 1);
    json_decref(object);
}

static bool has_nothing(const struct found *f)
{
    return f->reports_here == 0 && f->bad_lines == 0 && json_array_size(f->records) == 0;
}

/* Returns whether the file has a report or a record, and no damaged line. Prints why if not. */
static bool read_file(struct found *f)
{
    FILE *file = fopen(f->file, "r");
    bool is_read;

    if (!file) {
        ftc_command_say("%s: %s", f->file, strerror(errno));
        return false;
    }
    take_lines(f, file);
    if (has_nothing(f) && !ferror(file))
        take_whole(f, file);
    is_read = !ferror(file);
    if (!is_read)
        ftc_command_say("%s: cannot be read", f->file);
    else if (has_nothing(f))
        ftc_command_say("%s: there is no report in it that is JSON, and no record; report_format = "
                        "json makes them",
                        f->file);
    fclose(file);
    return is_read && !has_nothing(f) && f->bad_lines == 0;
}

/* ---- the subcommand ---- */

struct reading {
    json_t *reports;
    int status;
    bool is_first;
};

static void separate(struct reading *r)
{
    if (!r->is_first)
        printf("\n");
    r->is_first = false;
}

static void read_one(struct reading *r, const char *path)
{
    struct found f = {.file = path, .reports = r->reports, .records = json_array()};

    if (!read_file(&f))
        r->status = FTC_COMMAND_BAD;
    if (json_array_size(f.records) > 0) {
        separate(r);
        ftc_report_text_records(path, f.records);
    }
    json_decref(f.records);
}

int ftcoll_report(int argc, char **argv)
{
    char **file = ftc_command_files(
        argc, argv,
        "Makes tables of the reports (report_format = json) and records (record_file) in files. "
        "The files may have other lines, as the log of a job has. The exit status is 1 if a file "
        "has no report and no record, or cannot be read.");
    struct reading r = {.reports = json_array(), .status = FTC_COMMAND_GOOD, .is_first = true};
    const json_t *report;
    size_t i;

    for (; *file; file++)
        read_one(&r, *file);
    if (json_array_size(r.reports) > 1) {
        separate(&r);
        ftc_report_text_compare(r.reports);
    }
    json_array_foreach(r.reports, i, report)
    {
        separate(&r);
        ftc_report_text_write(report);
    }
    json_decref(r.reports);
    return r.status;
}
