#include "record.h"

#include "callsite.h"
#include "contributors.h"
#include "facts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The program may change its directory. */
static char path[PATH_MAX + FTC_SETTINGS_PATH_MAX];
static bool is_on;

static void give_up(const char *what, int error)
{
    fprintf(stderr,
            "ftcoll: rank %d cannot %s record_file %s: %s; there will be no more lines of it\n",
            ftc_library.world_rank, what, path, strerror(error));
    is_on = false;
}

/* Opened for each line: whatever the program does with descriptors, no line goes astray. Does not
 * wait for the reader of a pipe. */
static int open_file(void)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0644);

    if (fd < 0)
        give_up("open", errno);
    return fd;
}

static void make_absolute(const char *name)
{
    char directory[PATH_MAX];

    if (name[0] == '/' || !getcwd(directory, sizeof directory))
        snprintf(path, sizeof path, "%s", name);
    else
        snprintf(path, sizeof path, "%s/%s", directory, name);
}

void ftc_record_open(void)
{
    int fd;

    if (ftc_library.settings.record_file[0] == '\0')
        return;
    is_on = true;
    make_absolute(ftc_library.settings.record_file);
    if (ftc_library.world_rank != 0)
        return;
    fd = open_file();
    if (fd >= 0)
        close(fd);
}

static bool is_writer(const struct ftc_call *call, const struct ftc_comm *c)
{
    if (ftc_call_has_root(call->kind))
        return true;
    for (int rank = 0; rank < c->rank; rank++)
        if (ftc_board_state(&ftc_library.board, c->slot[rank]) != FTC_RANK_FAILED)
            return false;
    return true;
}

static void write_time(FILE *f)
{
    struct timespec now;
    struct tm utc;
    char text[32];

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    fprintf(f, "\"time\":\"%s.%03ldZ\"", text, now.tv_nsec / 1000000);
}

static void write_text(FILE *f, const char *key, const char *text)
{
    fprintf(f, ",\"%s\":\"", key);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < ' ' || c > '~' || c == '"' || c == '\\')
            fprintf(f, "\\u%04x", c);
        else
            fputc(c, f);
    }
    fputc('"', f);
}

/* The ranks of @c that are in the result, or those that are not. */
static void write_ranks(FILE *f, const char *key, const struct ftc_comm *c,
                        const void *contributors, bool in, bool world)
{
    const char *separator = "";

    fprintf(f, ",\"%s\":[", key);
    for (int rank = 0; rank < c->size; rank++) {
        const struct ftc_board_slot *slot = &ftc_library.board.shared->slot[c->slot[rank]];

        if (ftc_contributors_have(contributors, rank) != in)
            continue;
        fprintf(f, "%s%d", separator, world ? atomic_load(&slot->world_rank) : rank);
        separator = ",";
    }
    fputc(']', f);
}

/* To find the name takes longer than the rest. */
static const char *name_of(const void *return_address)
{
    static const void *last;
    static char text[256];
    const void *site = ftc_callsite_of(return_address);

    if (site != last)
        ftc_callsite_name(site, text, sizeof text);
    last = site;
    return text;
}

static void write_line(FILE *f, const struct ftc_call *call, const struct ftc_comm *c,
                       const void *contributors)
{
    fputc('{', f);
    write_time(f);
    write_text(f, "call", ftc_call_name(call->kind));
    write_text(f, "operator", ftc_operation_name(call->op));
    fprintf(f, ",\"communicator\":\"%016" PRIx64 "\",\"size\":%d,\"operation\":%" PRIu32, c->id,
            c->size, c->seq - 1); /* the next one has this number already */
    fprintf(f, ",\"writer\":%d", c->rank);
    write_ranks(f, "in", c, contributors, true, false);
    write_ranks(f, "missing", c, contributors, false, false);
    fprintf(f, ",\"writer_world\":%d", ftc_library.world_rank);
    write_ranks(f, "in_world", c, contributors, true, true);
    write_ranks(f, "missing_world", c, contributors, false, true);
    write_text(f, "site", name_of(call->return_address));
    fputs("}\n", f);
}

/* In one write, so that the lines of several ranks do not mix. */
static void append(const char *text, size_t length)
{
    int fd = open_file();
    ssize_t written;

    if (fd < 0)
        return;
    errno = ENOSPC; /* of a line that was cut */
    written = write(fd, text, length);
    if (written != (ssize_t)length)
        give_up("write", errno);
    close(fd);
}

void ftc_record_result(const struct ftc_call *call, const struct ftc_comm *c,
                       const void *contributors)
{
    char *text = NULL;
    size_t length = 0;
    FILE *f;

    if (!is_on || !is_writer(call, c))
        return;
    f = open_memstream(&text, &length);
    if (!f) {
        give_up("write", errno);
        return;
    }
    write_line(f, call, c, contributors);
    if (fclose(f) == 0)
        append(text, length);
    free(text);
}
