#include "hidden_activity.h"

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
    STEADY_KB = 1024,  /* kB by which the memory that a polling rank touches may grow */
    POLL_NS = 50000,   /* time longer than a call that only tests takes */
    RECENT_CHECKS = 5, /* looks in half of blocked_ms */
    LEAST_SHARE = 100, /* share of the time that counts at least, in thousandths */
    /* Time for which a thread that waits in a call runs, and one that is not needed does not. */
    RUN_NS = 1000000,
};

static bool read_of(const struct ftc_monitored *rank, const char *what, char text[TEXT_BYTES])
{
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "/proc/%d/%s", (int)rank->job.child, what);
    return ftc_proc_read(path, text, TEXT_BYTES);
}

/* Returns the number after @key in @text; 0 without @key. */
static unsigned long value_of(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    return at ? strtoul(at + strlen(key), NULL, 10) : 0;
}

/* Replaces *@last by @now. Returns whether they differ. */
static bool changes(unsigned long *last, unsigned long now)
{
    bool is_other = *last != now;

    *last = now;
    return is_other;
}

/* Returns whether the program is stopped by a signal or a debugger, or in a system call that waits
 * for a disk. */
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

/* Returns whether the program is in a system call on a file. The kernel shows "running" while it is
 * in no system call. */
static bool is_in_file_call(const struct ftc_monitored *rank)
{
    char text[TEXT_BYTES], *end;
    long number;

    if (!read_of(rank, "syscall", text))
        return false;
    number = strtol(text, &end, 10);
    return end != text && is_of_files(number);
}

static bool moves_files(struct ftc_hidden_activity *seen, const struct ftc_monitored *rank)
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

/* Returns whether @line is the first one of a part of the memory, such as "7f5e-7f60 rw-p ...". */
static bool begins_part(const char *line, bool *is_writable)
{
    unsigned long from, to;
    char rights[5];

    if (sscanf(line, "%lx-%lx %4s", &from, &to, rights) != 3)
        return false;
    *is_writable = rights[1] == 'w';
    return true;
}

/* Returns the touched kB of memory that the program can write. Other memory does not count: pages
 * of a file, such as the code of a library, are touched when any process reads the file. */
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

/* Returns the touched kB of the program's memory; 0 if that cannot be read. */
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

/* Returns whether the program has touched more memory between two looks. The kernel forgets what
 * was touched at a look before these two, so a rank that polls has touched all that it needs by the
 * first of them. */
static bool moves_data(struct ftc_hidden_activity *seen, const struct ftc_monitored *rank)
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

/* Returns whether one of the last RECENT_CHECKS looks has shown that thread @id had run for RUN_NS,
 * within as many looks at most. On a busy machine a thread has no core between some of them. */
static bool has_run(struct ftc_hidden_activity *seen, const struct ftc_monitored *rank, int at,
                    const char *id)
{
    unsigned long ran_ns = ran_of(rank, id);
    struct ftc_hidden_thread *thread = &seen->thread[at];

    if (thread->id != atoi(id))
        *thread = (struct ftc_hidden_thread){
            .id = atoi(id), .ran_ns = ran_ns, .looks = RECENT_CHECKS - 1};
    thread->looks = ran_ns - thread->ran_ns >= RUN_NS ? 0 : thread->looks + 1;
    if (thread->looks % RECENT_CHECKS == 0)
        thread->ran_ns = ran_ns;
    return thread->looks < RECENT_CHECKS;
}

static uint32_t count_running(struct ftc_hidden_activity *seen, const struct ftc_monitored *rank,
                              DIR *tasks)
{
    struct dirent *entry;
    uint32_t count = 0;

    for (int at = 0; at < FTC_HIDDEN_THREADS && (entry = readdir(tasks));)
        if (entry->d_name[0] != '.')
            count += has_run(seen, rank, at++, entry->d_name);
    return count;
}

/* Returns whether more threads have run than are in MPI calls: another thread computes, and may
 * then do what the others wait for. False unless several threads may call MPI. Also false with
 * MPICH's progress thread, which always runs. */
static bool has_busy_threads(struct ftc_hidden_activity *seen, const struct ftc_monitored *rank)
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

/* Returns whether a rank that polls computes between its polls: it runs much longer for each poll
 * than a poll takes. */
static bool computes_between(struct ftc_hidden_activity *seen, const struct ftc_monitored *rank,
                             unsigned long ran_ns)
{
    unsigned long polls = ftc_mark_polls(&rank->board, rank->world), before = seen->polls;

    seen->polls = polls;
    return polls != before && ran_ns / (polls - before) > POLL_NS;
}

/* Returns for how many nanoseconds the program has run since the last look. Sets *@share as
 * ftc_hidden_activity_check() does. */
static unsigned long look_at_time(struct ftc_hidden_activity *seen,
                                  const struct ftc_monitored *rank, uint32_t *share)
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

bool ftc_hidden_activity_check(struct ftc_hidden_activity *seen, const struct ftc_monitored *rank,
                               uint32_t *share)
{
    bool is_first = seen->looked_ns == 0;
    unsigned long ran_ns = look_at_time(seen, rank, share);
    bool is_active = is_held(rank);

    is_active |= moves_files(seen, rank);
    is_active |= moves_data(seen, rank);
    is_active |= has_busy_threads(seen, rank);
    is_active |= computes_between(seen, rank, ran_ns);
    return is_active || is_first;
}
