#include "trace_file.h"

#include "board/directory.h"
#include "board/rank_state.h"
#include "board/recovery_record.h"
#include "board/trace.h"
#include "system/file_limit.h"
#include "system/lines.h"
#include "trace_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    FILES = 10000,
    SUFFIX_BYTES = 24,
    RANKS_MS = 1000,
    WRITER_MS = 10000, /* enough for tens of megabytes on any machine and file system */
    NS_OF_MS = 1000000
};
enum { PATH_BYTES = FTC_REPORT_PATH_MAX + SUFFIX_BYTES };

static bool is_on(const struct ftc_notice *n)
{
    return n->paths->trace[0] != '\0' && ftc_trace_is_on(n->board);
}

static void name_file(const struct ftc_notice *n, int number, char path[PATH_BYTES])
{
    if (number == 0)
        snprintf(path, PATH_BYTES, "%s", n->paths->trace);
    else
        snprintf(path, PATH_BYTES, "%s.%d", n->paths->trace, number);
}

/* Renames @from to @to, unless @to exists. Some file systems cannot exclude that (NFS). There an
 * empty file reserves the name between two calls. Returns 0 or a negative errno. */
static int move_to_free(const char *from, const char *to)
{
    int fd;

    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -errno;
    fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        return -errno;
    close(fd);
    return rename(from, to) == 0 ? 0 : -errno;
}

/* Renames @from to the first free name, which from then on is the job's. Sets @path to the last
 * name tried. Returns 0 or a negative errno. */
static int move_to_first_free(const struct ftc_notice *n, const char *from, char path[PATH_BYTES])
{
    int rv = -EEXIST;

    for (int number = 0; rv == -EEXIST && number < FILES; number++) {
        name_file(n, number, path);
        rv = move_to_free(from, path);
        if (rv == 0)
            ftc_trace_set_file_number(n->board, number);
    }
    return rv;
}

static int put_in_place(const struct ftc_notice *n, const char *from, char path[PATH_BYTES])
{
    int number = ftc_trace_file_number(n->board);

    if (number < 0 || number >= FILES)
        return move_to_first_free(n, from, path);
    name_file(n, number, path);
    return rename(from, path) == 0 ? 0 : -errno;
}

static int write_part(const struct ftc_notice *n, bool is_early_end, const char *part)
{
    const struct ftc_trace_head head = {
        .f = n->settings->f, .timeout_ms = n->settings->timeout_ms, .is_early_end = is_early_end};
    int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    int rv;

    if (!f)
        return -errno;
    rv = ftc_trace_write(f, n->board, &head);
    return fclose(f) == 0 || rv != 0 ? rv : -errno;
}

/* Writes the name of the file while it is incomplete. The board's key makes the name unique. */
static void name_part(const struct ftc_notice *n, char part[PATH_BYTES])
{
    uint64_t key[2];

    ftc_board_key(n->board, key);
    snprintf(part, PATH_BYTES, "%s.%08x.part", n->paths->trace, (unsigned)key[0]);
}

/* Writes the trace. Removes an incomplete file first: only one process writes at a time, so that
 * file is of a process that was killed. */
static void write_file(const struct ftc_notice *n, bool is_early_end)
{
    char part[PATH_BYTES], path[PATH_BYTES];
    struct ftc_file_limit limit;
    int rv;

    name_part(n, part);
    snprintf(path, sizeof path, "%s", part);
    unlink(part);
    ftc_file_limit_hold(&limit);
    rv = write_part(n, is_early_end, part);
    ftc_file_limit_release(&limit);
    if (rv == 0)
        rv = put_in_place(n, part, path);
    if (rv == 0)
        return;
    unlink(part);
    ftc_lines_say("ftcoll: cannot write trace_file %s: %s\n", path, strerror(-rv));
}

static bool claim_and_write(const struct ftc_notice *n, const struct ftc_announcement *matter,
                            bool is_early_end)
{
    if (!ftc_announcement_claim(n->board, matter, &n->self))
        return false;
    write_file(n, is_early_end);
    ftc_announcement_end(n->board, matter, &n->self);
    return true;
}

bool ftc_trace_file_update(const struct ftc_notice *n)
{
    uint32_t deaths = ftc_board_deaths(n->board);
    struct ftc_announcement matter = {.kind = FTC_ANNOUNCEMENT_TRACE, .number = deaths};
    uint64_t when_ns;

    if (!is_on(n) || deaths == 0 || deaths > FTC_TRACE_PARTS ||
        ftc_announcement_is_done(n->board, &matter))
        return true;
    return ftc_recovery_record_is_settled(n->board, deaths, &when_ns) &&
           claim_and_write(n, &matter, false);
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = NS_OF_MS}, NULL);
}

static bool are_all_through(const struct ftc_board *board)
{
    for (uint32_t rank = 0; rank < board->geometry.ranks; rank++)
        if (ftc_board_is_here(board, rank) && !ftc_board_is_dead(board, rank) &&
            !ftc_trace_has_ended(board, rank))
            return false;
    return true;
}

void ftc_trace_file_await_ranks(const struct ftc_notice *n)
{
    for (int i = 0; is_on(n) && i < RANKS_MS && !are_all_through(n->board); i++)
        nap();
}

/* Writes the trace as that of a job that ends early if the caller is a monitor process, which gets
 * here before the ranks only if they do not get here. */
void ftc_trace_file_finish(const struct ftc_notice *n)
{
    const bool is_in_time = n->self.is_rank;
    const struct ftc_announcement matter = {.kind = FTC_ANNOUNCEMENT_TRACE,
                                            .number = FTC_ANNOUNCEMENT_LAST};

    for (int i = 0; is_on(n) && i < WRITER_MS; i++) {
        if (ftc_announcement_is_done(n->board, &matter) || claim_and_write(n, &matter, !is_in_time))
            return;
        nap();
    }
}
