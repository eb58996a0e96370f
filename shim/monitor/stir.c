#include "stir.h"

#include "board/mark.h"
#include "system/clock.h"
#include "system/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    PATH_BYTES = 64,
    TEXT_BYTES = 4096,
    STEADY_KB = 1024,  /* a rank that polls touches the same memory, but for less than that */
    POLL_NS = 50000,   /* more time than a call that only looks takes */
    RECENT_LOOKS = 5,  /* half of blocked_ms */
    LEAST_SHARE = 100, /* of a machine that is so busy the time counts no less */
    RUN_NS =
        1000000, /* a thread that waits in a call runs longer, one that is not needed shorter */
};

static bool read_of(const struct ftc_monitored *rank, const char *what, char text[TEXT_BYTES])
{
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "/proc/%d/%s", (int)rank->job.child, what);
    return ftc_proc_read(path, text, TEXT_BYTES);
}

/* The number after @key; 0 without one. */
static unsigned long value_of(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    return at ? strtoul(at + strlen(key), NULL, 10) : 0;
}

/* Replaces *@last; true if that was another one. */
static bool changes(unsigned long *last, unsigned long now)
{
    bool is_other = *last != now;

    *last = now;
    return is_other;
}

/* Stopped by a signal or a debugger, or in a system call that waits for a disk. */
static bool is_held(const struct ftc_monitored *rank)
{
    char text[TEXT_BYTES];
    const char *end = read_of(rank, "stat", text) ? strrchr(text, ')') : NULL;

    return end && end[1] == ' ' && strchr("TtD", end[2]);
}

static bool is_of_files(long number)
{
    switch (number) {
    case SYS_read:
    case SYS_write:
    case SYS_pread64:
    case SYS_pwrite64:
    case SYS_readv:
    case SYS_writev:
    case SYS_preadv:
    case SYS_pwritev:
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_sync_file_range:
    case SYS_ftruncate:
    case SYS_fallocate:
    case SYS_openat:
    case SYS_close:
        return true;
    default:
        return false;
    }
}

/* "running" while it is in no system call. */
static bool is_in_file_call(const struct ftc_monitored *rank)
{
    char text[TEXT_BYTES], *end;
    long number;

    if (!read_of(rank, "syscall", text))
        return false;
    number = strtol(text, &end, 10);
    return end != text && is_of_files(number);
}

static bool moves_files(struct ftc_stir *seen, const struct ftc_monitored *rank)
{
    char text[TEXT_BYTES];
    bool is_read = read_of(rank, "io", text);
    bool changed =
        is_read && changes(&seen->io_bytes, value_of(text, "rchar: ") + value_of(text, "wchar: ") +
                                                value_of(text, "write_bytes: "));

    return is_in_file_call(rank) || changed;
}

static void forget_referenced(const struct ftc_monitored *rank)
{
    char path[PATH_BYTES];
    int fd;

    snprintf(path, sizeof path, "/proc/%d/clear_refs", (int)rank->job.child);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)!write(fd, "1", 1);
    close(fd);
}

/* True for the first line of a part of its memory: "7f5e-7f60 rw-p ...". */
static bool begins_part(const char *line, bool *is_writable)
{
    unsigned long from, to;
    char rights[5];

    if (sscanf(line, "%lx-%lx %4s", &from, &to, rights) != 3)
        return false;
    *is_writable = rights[1] == 'w';
    return true;
}

/* Of the memory that it can write: pages of a file, such as the code of a library, count as touched
 * when any process reads the file. */
static unsigned long count_referenced(FILE *parts)
{
    unsigned long sum_kb = 0, kb;
    bool is_writable = false;
    char line[TEXT_BYTES];

    while (fgets(line, sizeof line, parts))
        if (!begins_part(line, &is_writable) && is_writable &&
            sscanf(line, "Referenced: %lu", &kb) == 1)
            sum_kb += kb;
    return sum_kb;
}

/* 0 if that cannot be read. */
static unsigned long referenced_of(const struct ftc_monitored *rank)
{
    char path[PATH_BYTES];
    unsigned long kb;
    FILE *parts;

    snprintf(path, sizeof path, "/proc/%d/smaps", (int)rank->job.child);
    parts = fopen(path, "re");
    if (!parts)
        return 0;
    kb = count_referenced(parts);
    fclose(parts);
    return kb;
}

/* From one look to the next the memory is counted that has been touched since a look before these
 * two: a rank that polls has touched all that it needs by the first of them. */
static bool moves_data(struct ftc_stir *seen, const struct ftc_monitored *rank)
{
    unsigned long before = seen->referenced_kb;

    seen->referenced_kb = referenced_of(rank);
    if (before != 0 && seen->referenced_kb > before + STEADY_KB)
        return true;
    if (before != 0) {
        forget_referenced(rank);
        seen->referenced_kb = 0;
    }
    return false;
}

/* Returns for how many nanoseconds @thread has run. */
static unsigned long ran_of(const struct ftc_monitored *rank, const char *thread)
{
    char what[PATH_BYTES / 2], text[TEXT_BYTES];

    snprintf(what, sizeof what, "task/%.12s/schedstat", thread);
    return read_of(rank, what, text) ? strtoul(text, NULL, 10) : 0;
}

/* Returns whether thread @id has run for RUN_NS within RECENT_LOOKS looks, of which the last may be
 * as many looks ago. On a busy machine a thread has no core between some of them. */
static bool has_run(struct ftc_stir *seen, const struct ftc_monitored *rank, int at, const char *id)
{
    unsigned long ran_ns = ran_of(rank, id);
    struct ftc_stir_thread *thread = &seen->thread[at];

    if (thread->id != atoi(id))
        *thread =
            (struct ftc_stir_thread){.id = atoi(id), .ran_ns = ran_ns, .looks = RECENT_LOOKS - 1};
    thread->looks = ran_ns - thread->ran_ns >= RUN_NS ? 0 : thread->looks + 1;
    if (thread->looks % RECENT_LOOKS == 0)
        thread->ran_ns = ran_ns;
    return thread->looks < RECENT_LOOKS;
}

static uint32_t count_running(struct ftc_stir *seen, const struct ftc_monitored *rank, DIR *tasks)
{
    struct dirent *entry;
    uint32_t count = 0;

    for (int at = 0; at < FTC_STIR_THREADS && (entry = readdir(tasks));)
        if (entry->d_name[0] != '.')
            count += has_run(seen, rank, at++, entry->d_name);
    return count;
}

/* Whether more threads have run than are in calls of MPI: another one computes, and may then do
 * what the others wait for. Only where several may call MPI. MPICH's progress thread always runs.
 */
static bool has_busy_threads(struct ftc_stir *seen, const struct ftc_monitored *rank)
{
    char path[PATH_BYTES];
    uint32_t count;
    DIR *tasks;

    if (!rank->options.threaded || getenv("MPIR_CVAR_ASYNC_PROGRESS"))
        return false;
    snprintf(path, sizeof path, "/proc/%d/task", (int)rank->job.child);
    tasks = opendir(path);
    if (!tasks)
        return false;
    count = count_running(seen, rank, tasks);
    closedir(tasks);
    return count > ftc_mark_threads_inside(&rank->board, rank->world);
}

/* Of a rank that polls: with each poll much more time passes than that takes. */
static bool computes_between(struct ftc_stir *seen, const struct ftc_monitored *rank,
                             unsigned long ran_ns)
{
    unsigned long polls = ftc_mark_polls(&rank->board, rank->world), before = seen->polls;

    seen->polls = polls;
    return polls != before && ran_ns / (polls - before) > POLL_NS;
}

/* Returns for how long it has run since the last look. */
static unsigned long look_at_time(struct ftc_stir *seen, const struct ftc_monitored *rank,
                                  uint32_t *share)
{
    unsigned long now_ns = ftc_clock_ns(), passed_ns = now_ns - seen->looked_ns, delayed_ns, ran_ns;
    char text[TEXT_BYTES], *end;

    *share = 1000;
    if (!read_of(rank, "schedstat", text))
        return 0;
    ran_ns = strtoul(text, &end, 10);
    delayed_ns = strtoul(end, NULL, 10);
    if (seen->looked_ns != 0 && delayed_ns - seen->delayed_ns < passed_ns)
        *share = (uint32_t)(1000 - 1000 * (delayed_ns - seen->delayed_ns) / passed_ns);
    else if (seen->looked_ns != 0)
        *share = 0;
    if (*share < LEAST_SHARE)
        *share = LEAST_SHARE;
    passed_ns = ran_ns - seen->ran_ns;
    seen->ran_ns = ran_ns;
    seen->delayed_ns = delayed_ns;
    seen->looked_ns = now_ns;
    return passed_ns;
}

bool ftc_stir_look(struct ftc_stir *seen, const struct ftc_monitored *rank, uint32_t *share)
{
    bool is_first = seen->looked_ns == 0;
    unsigned long ran_ns = look_at_time(seen, rank, share);
    bool stirs = is_held(rank);

    stirs |= moves_files(seen, rank);
    stirs |= moves_data(seen, rank);
    stirs |= has_busy_threads(seen, rank);
    stirs |= computes_between(seen, rank, ran_ns);
    return stirs || is_first;
}
