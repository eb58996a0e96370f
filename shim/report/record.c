#include "record.h"

#include "board/directory.h"
#include "board/publication.h"
#include "board/rank_state.h"
#include "mpi/callsite.h"
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

static void give_up(const char *what, const char *why)
{
    ftc_lines_say(
        "ftcoll: rank %d cannot %s record_file %s: %s; there will be no more lines of it\n",
        ftc_library.world_rank, what, path, why);
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

/* Survivors of an allreduce agree who writes by a word that they all find on the board of one host,
 * that of the first of them: the number of the operation, who writes its line, a digest of the
 * line, and whether it is written. Each may die at any time: what the dead have not written, or
 * wrote of a result that only they had, is written by another. */
enum { WRITTEN = 1, DIGEST_BITS = 19, WRITER_BITS = 12 };

static uint64_t claim_of(const struct ftc_comm *c, uint32_t next_seq, const void *contributors)
{
    uint64_t digest = 0, number = next_seq; /* of the operation, plus one */

    for (int rank = 0; rank < c->size; rank++)
        digest = digest * 31 + ftc_contributors_have(contributors, rank);
    digest = ftc_hash_mix(digest, 0) >> (64 - DIGEST_BITS);
    return number << 32 | (uint64_t)ftc_library.world_rank << (DIGEST_BITS + 1) | digest << 1;
}

static bool is_alive(uint32_t world)
{
    return world < ftc_library.board.geometry.ranks &&
           !ftc_board_is_dead(&ftc_library.board, world);
}

/* Whether survivors of another host write. */
static bool is_for_others(const struct ftc_comm *c)
{
    for (int rank = 0; rank < c->size; rank++)
        if (is_alive(c->world[rank]))
            return !ftc_board_is_here(&ftc_library.board, c->world[rank]);
    return false;
}

/* Whether the line is left to others, or written, as @claim on the board says. */
static bool is_settled(uint64_t claim, uint64_t mine)
{
    uint64_t but_writer = ~(((1ull << WRITER_BITS) - 1) << (DIGEST_BITS + 1));
    int32_t behind = (int32_t)((uint32_t)(mine >> 32) - (uint32_t)(claim >> 32));

    if (claim == 0 || behind > 0)
        return false;
    return behind < 0 || (claim & but_writer) == ((mine | WRITTEN) & but_writer) ||
           is_alive((uint32_t)(claim >> (DIGEST_BITS + 1)) & ((1u << WRITER_BITS) - 1));
}

/* The same word for all survivors: that of the first rank that has ever used the communicator,
 * which no survivor is behind. */
static _Atomic uint64_t *find_word(const struct ftc_comm *c)
{
    _Atomic uint64_t *word = NULL;

    for (int rank = 0; rank < c->size && !word; rank++)
        word = ftc_publication_recorded(&ftc_library.board, c->world[rank], c->id);
    return word;
}

/* True if this rank is to write the line. */
static bool take(_Atomic uint64_t *word, uint64_t mine)
{
    uint64_t claim = atomic_load(word);

    while (!is_settled(claim, mine))
        if (atomic_compare_exchange_weak(word, &claim, mine))
            return true;
    return false;
}

/* The ranks of @c that are in the result, or those that are not. */
static void write_ranks(struct ftc_json *j, const char *key, const struct ftc_comm *c,
                        const void *contributors, bool in, bool world)
{
    ftc_json_open_array(j, key);
    for (int rank = 0; rank < c->size; rank++)
        if (ftc_contributors_have(contributors, rank) == in)
            ftc_json_add_number(j, NULL, world ? (int)c->world[rank] : rank);
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

static void write_line(FILE *f, const struct ftc_call *call, const struct ftc_comm *c,
                       uint32_t next_seq, const void *contributors)
{
    char communicator[24];
    struct ftc_json j;

    snprintf(communicator, sizeof communicator, "%016" PRIx64, c->id);
    ftc_json_begin(&j, f);
    ftc_json_open_object(&j, NULL);
    ftc_json_add_text(&j, "ftcoll", "record");
    ftc_json_add_number(&j, "schema", SCHEMA);
    ftc_json_add_time(&j, "time", ftc_clock_utc());
    ftc_json_add_text(&j, "call", ftc_call_name(call->kind));
    ftc_json_add_text(&j, "operator", ftc_operation_name(call->op));
    ftc_json_add_text(&j, "communicator", communicator);
    ftc_json_add_number(&j, "size", c->size);
    ftc_json_add_number(&j, "operation", next_seq - 1);
    ftc_json_add_number(&j, "writer", c->rank);
    write_ranks(&j, "in", c, contributors, true, false);
    write_ranks(&j, "missing", c, contributors, false, false);
    ftc_json_add_number(&j, "writer_world", ftc_library.world_rank);
    write_ranks(&j, "in_world", c, contributors, true, true);
    write_ranks(&j, "missing_world", c, contributors, false, true);
    ftc_json_add_text(&j, "site", name_of(call->return_address));
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

static void write_result(const struct ftc_call *call, const struct ftc_comm *c, uint32_t next_seq,
                         const void *contributors)
{
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);

    if (!f) {
        give_up("write", strerror(errno));
        return;
    }
    write_line(f, call, c, next_seq, contributors);
    if (fclose(f) == 0)
        append(text, length);
    free(text);
}

void ftc_record_result(const struct ftc_call *call, const struct ftc_comm *c, uint32_t next_seq,
                       const void *contributors)
{
    _Atomic uint64_t *word;
    uint64_t mine;

    if (!is_on)
        return;
    if (ftc_call_has_root(call->kind)) {
        write_result(call, c, next_seq, contributors);
        return;
    }
    if (is_for_others(c))
        return;
    mine = claim_of(c, next_seq, contributors);
    word = find_word(c);
    if (!word || !take(word, mine))
        return;
    write_result(call, c, next_seq, contributors);
    atomic_compare_exchange_strong(word, &mine, mine | WRITTEN);
}
