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

/* Number of the schema of a line. It grows when a key is removed or changes its meaning. */
enum { SCHEMA = 1 };

/* Absolute name, because the program may change its directory. */
static char path[PATH_MAX + FTC_SETTINGS_PATH_MAX];
static bool is_on;
static uint32_t self; /* rank in MPI_COMM_WORLD */

static void give_up(const char *what, const char *why)
{
    ftc_lines_say("ftcoll: rank %u cannot %s record_file %s: %s; it writes no more lines\n", self,
                  what, path, why);
    is_on = false;
}

/* Returns why nothing must be appended to @fd; NULL if there is no reason. A user who can write to
 * the directory may have replaced the file by something that leads to another file of this user. */
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

/* Opens the file for one line. Does not keep it open, because the program may close or reuse any
 * descriptor. Does not wait for a reader if the file is a pipe, which objection() then rejects.
 * Returns -1 after a message. */
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

/* Fields of the word by which the survivors of an allreduce agree on who writes the line. All of
 * them on the writing host find the same word on its board. It holds the number of the operation,
 * the writer, a digest of the ranks in the result, and whether the line is written. Any survivor
 * may die at any time. If the dead writer has not written the line, or had a result that only it
 * had, another survivor writes it. */
enum { WRITTEN = 1, DIGEST_BITS = 19, WRITER_BITS = 12 };

static uint64_t claim_of(const struct ftc_record *r)
{
    uint64_t digest = 0, number = r->next_seq; /* number of the operation, plus one */

    for (int rank = 0; rank < r->size; rank++)
        digest = digest * 31 + ftc_contributors_have(r->contributors, rank);
    digest = ftc_hash_mix(digest, 0) >> (64 - DIGEST_BITS);
    return number << 32 | (uint64_t)self << (DIGEST_BITS + 1) | digest << 1;
}

static bool is_alive(const struct ftc_board *b, uint32_t world)
{
    return world < b->geometry.ranks && !ftc_board_is_dead(b, world);
}

/* Returns whether survivors of another host write: that of the first living rank. */
static bool is_for_others(const struct ftc_board *b, const struct ftc_record *r)
{
    for (int rank = 0; rank < r->size; rank++)
        if (is_alive(b, r->world[rank]))
            return !ftc_board_is_here(b, r->world[rank]);
    return false;
}

/* Returns whether this rank has nothing to write according to @claim, the word on the board: the
 * line is written, a living rank is writing it, or a later operation has been claimed. */
static bool is_settled(const struct ftc_board *b, uint64_t claim, uint64_t mine)
{
    uint64_t but_writer = ~(((1ull << WRITER_BITS) - 1) << (DIGEST_BITS + 1));
    int32_t behind = (int32_t)((uint32_t)(mine >> 32) - (uint32_t)(claim >> 32));

    if (claim == 0 || behind > 0)
        return false;
    return behind < 0 || (claim & but_writer) == ((mine | WRITTEN) & but_writer) ||
           is_alive(b, (uint32_t)(claim >> (DIGEST_BITS + 1)) & ((1u << WRITER_BITS) - 1));
}

/* Returns the word that all survivors use: that of the first rank that has ever used the
 * communicator. Every living rank has used it by now, because a survivor has the result. */
static _Atomic uint64_t *find_word(const struct ftc_board *b, const struct ftc_record *r)
{
    _Atomic uint64_t *word = NULL;

    for (int rank = 0; rank < r->size && !word; rank++)
        word = ftc_publication_recorded(b, r->world[rank], r->communicator);
    return word;
}

/* Claims the line by @mine. Returns true if this rank is to write it. */
static bool take(const struct ftc_board *b, _Atomic uint64_t *word, uint64_t mine)
{
    uint64_t claim = atomic_load(word);

    while (!is_settled(b, claim, mine))
        if (atomic_compare_exchange_weak(word, &claim, mine))
            return true;
    return false;
}

/* Adds the ranks that are @in the result, or those that are not; by world ranks if @world. */
static void write_ranks(struct ftc_json *j, const char *key, const struct ftc_record *r, bool in,
                        bool world)
{
    ftc_json_open_array(j, key);
    for (int rank = 0; rank < r->size; rank++)
        if (ftc_contributors_have(r->contributors, rank) == in)
            ftc_json_add_number(j, NULL, world ? (int)r->world[rank] : rank);
    ftc_json_close(j);
}

/* Returns the name of the call site. The last one is kept, because finding the name takes longer
 * than the rest of the line. */
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

/* Appends the line in one write(), so that the lines of several ranks do not mix. */
static void append(const char *text, size_t length)
{
    int fd = open_file();
    struct ftc_file_limit limit;
    ssize_t written;

    if (fd < 0)
        return;
    ftc_file_limit_hold(&limit);
    errno = ENOSPC; /* reported if the line is cut short */
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
