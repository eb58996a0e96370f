#include "record.h"

#include "board/directory.h"
#include "board/publication.h"
#include "board/rank_state.h"
#include "mpi/callsite.h"
#include "report_file.h"
#include "system/clock.h"
#include "system/file_limit.h"
#include "system/hash.h"
#include "system/json.h"
#include "system/lines.h"
#include "value/contributors.h"
#include "value/datatype.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of a line; grows when a key changes or goes. */
enum { SCHEMA = 1 };

/* The program may change its directory. */
static char path[PATH_MAX + FTC_SETTINGS_PATH_MAX];
static bool is_on;
static uint32_t self; /* in MPI_COMM_WORLD */

static void give_up(const char *what, const char *why)
{
    ftc_lines_say("ftcoll: rank %u cannot %s record_file %s: %s; it writes no more lines\n", self,
                  what, path, why);
    is_on = false;
}

/* Why nothing is to be added to @fd, or NULL: somebody who can write to the directory may have put
 * something in the file's place that leads to another file of this user. */
static const char *objection(int fd)
{
    struct stat status;

    if (fstat(fd, &status) != 0)
        return strerror(errno);
    if (!S_ISREG(status.st_mode))
        return "it is not a regular file";
    if (status.st_uid != geteuid())
        return "it belongs to another user";
    return status.st_nlink > 1 ? "it has a second name (hard link)" : NULL;
}

/* Opened for each line: whatever the program does with descriptors, no line goes astray. Does not
 * wait for the reader of a pipe, to find that it is one. */
static int open_file(void)
{
    int fd = open(
        path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW, 0644);
    const char *why =
        fd < 0 ? (errno == ELOOP ? "it is a symbolic link" : strerror(errno)) : objection(fd);

    if (!why)
        return fd;
    give_up("open", why);
    if (fd >= 0)
        close(fd);
    return -1;
}

void ftc_record_open(const struct ftc_notice *n)
{
    int fd;

    if (n->settings->record_file[0] == '\0')
        return;
    is_on = true;
    self = n->self.rank;
    ftc_report_file_make_absolute(n->settings->record_file, path, sizeof path);
    if (self != 0)
        return;
    fd = open_file();
    if (fd >= 0)
        close(fd);
}

/* Survivors of an allreduce agree who writes by a word that they all find on the board of one host,
 * that of the first of them: the number of the operation, who writes its line, a digest of the
 * line, and whether it is written. Each may die at any time: what the dead have not written, or
 * wrote of a result that only they had, is written by another. */
enum { WRITTEN = 1, DIGEST_BITS = 19, WRITER_BITS = 12 };

static uint64_t claim_of(const struct ftc_record *r)
{
    uint64_t digest = 0, number = r->next_seq; /* of the operation, plus one */

    for (int rank = 0; rank < r->size; rank++)
        digest = digest * 31 + ftc_contributors_have(r->contributors, rank);
    digest = ftc_hash_mix(digest, 0) >> (64 - DIGEST_BITS);
    return number << 32 | (uint64_t)self << (DIGEST_BITS + 1) | digest << 1;
}

static bool is_alive(const struct ftc_board *b, uint32_t world)
{
    return world < b->geometry.ranks && !ftc_board_is_dead(b, world);
}

/* Whether survivors of another host write. */
static bool is_for_others(const struct ftc_board *b, const struct ftc_record *r)
{
    for (int rank = 0; rank < r->size; rank++)
        if (is_alive(b, r->world[rank]))
            return !ftc_board_is_here(b, r->world[rank]);
    return false;
}

/* Whether the line is left to others, or written, as @claim on the board says. */
static bool is_settled(const struct ftc_board *b, uint64_t claim, uint64_t mine)
{
    uint64_t but_writer = ~(((1ull << WRITER_BITS) - 1) << (DIGEST_BITS + 1));
    int32_t behind = (int32_t)((uint32_t)(mine >> 32) - (uint32_t)(claim >> 32));

    if (claim == 0 || behind > 0)
        return false;
    return behind < 0 || (claim & but_writer) == ((mine | WRITTEN) & but_writer) ||
           is_alive(b, (uint32_t)(claim >> (DIGEST_BITS + 1)) & ((1u << WRITER_BITS) - 1));
}

/* The same word for all survivors: that of the first rank that has ever used the communicator,
 * which no survivor is behind. */
static _Atomic uint64_t *find_word(const struct ftc_board *b, const struct ftc_record *r)
{
    _Atomic uint64_t *word = NULL;

    for (int rank = 0; rank < r->size && !word; rank++)
        word = ftc_publication_recorded(b, r->world[rank], r->communicator);
    return word;
}

/* True if this rank is to write the line. */
static bool take(const struct ftc_board *b, _Atomic uint64_t *word, uint64_t mine)
{
    uint64_t claim = atomic_load(word);

    while (!is_settled(b, claim, mine))
        if (atomic_compare_exchange_weak(word, &claim, mine))
            return true;
    return false;
}

/* Adds the ranks that are in the result, or those that are not. */
static void write_ranks(struct ftc_json *j, const char *key, const struct ftc_record *r, bool in,
                        bool world)
{
    ftc_json_open_array(j, key);
    for (int rank = 0; rank < r->size; rank++)
        if (ftc_contributors_have(r->contributors, rank) == in)
            ftc_json_add_number(j, NULL, world ? (int)r->world[rank] : rank);
    ftc_json_close(j);
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

static void write_line(FILE *f, const struct ftc_record *r)
{
    char communicator[24];
    struct ftc_json j;

    snprintf(communicator, sizeof communicator, "%016" PRIx64, r->communicator);
    ftc_json_begin(&j, f);
    ftc_json_open_object(&j, NULL);
    ftc_json_add_text(&j, "ftcoll", "record");
    ftc_json_add_number(&j, "schema", SCHEMA);
    ftc_json_add_time(&j, "time", ftc_clock_utc());
    ftc_json_add_text(&j, "call", ftc_call_name(r->call->kind));
    ftc_json_add_text(&j, "operator", ftc_operation_name(r->call->op));
    ftc_json_add_text(&j, "communicator", communicator);
    ftc_json_add_number(&j, "size", r->size);
    ftc_json_add_number(&j, "operation", r->next_seq - 1);
    ftc_json_add_number(&j, "writer", r->rank);
    write_ranks(&j, "in", r, true, false);
    write_ranks(&j, "missing", r, false, false);
    ftc_json_add_number(&j, "writer_world", self);
    write_ranks(&j, "in_world", r, true, true);
    write_ranks(&j, "missing_world", r, false, true);
    ftc_json_add_text(&j, "site", name_of(r->call->return_address));
    ftc_json_close(&j);
}

/* In one write, so that the lines of several ranks do not mix. */
static void append(const char *text, size_t length)
{
    int fd = open_file();
    struct ftc_file_limit limit;
    ssize_t written;

    if (fd < 0)
        return;
    ftc_file_limit_hold(&limit);
    errno = ENOSPC; /* of a line that was cut */
    written = write(fd, text, length);
    ftc_file_limit_release(&limit);
    if (written != (ssize_t)length)
        give_up("write", strerror(errno));
    close(fd);
}

static void write_result(const struct ftc_record *r)
{
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);

    if (!f) {
        give_up("write", strerror(errno));
        return;
    }
    write_line(f, r);
    if (fclose(f) == 0)
        append(text, length);
    free(text);
}

void ftc_record_write(const struct ftc_notice *n, const struct ftc_record *r)
{
    _Atomic uint64_t *word;
    uint64_t mine;

    if (!is_on)
        return;
    if (ftc_call_has_root(r->call->kind)) {
        write_result(r);
        return;
    }
    if (is_for_others(n->board, r))
        return;
    mine = claim_of(r);
    word = find_word(n->board, r);
    if (!word || !take(n->board, word, mine))
        return;
    write_result(r);
    atomic_compare_exchange_strong(word, &mine, mine | WRITTEN);
}
