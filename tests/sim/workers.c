#include "workers.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROGRESS_MS = 1000 };

/* One cache line each, written by its worker and read by the parent at any time. */
struct share {
    _Alignas(128) struct explore_total total;
};

static struct explore_total add_up(const struct share *shares, int jobs)
{
    struct explore_total sum = {0};

    for (int i = 0; i < jobs; i++)
        explore_total_add(&sum, &shares[i].total);
    return sum;
}

static void print_progress(const struct share *shares, int jobs, uint64_t expected)
{
    struct explore_total sum = add_up(shares, jobs);

    if (expected)
        fprintf(stderr, "\r%llu of %llu runs", (unsigned long long)sum.runs,
                (unsigned long long)expected);
    else
        fprintf(stderr, "\r%llu runs", (unsigned long long)sum.runs);
}

/* Waits for all workers; true if each ended well. */
static bool watch(const struct share *shares, int jobs, uint64_t expected)
{
    struct timespec pause = {.tv_sec = PROGRESS_MS / 1000,
                             .tv_nsec = PROGRESS_MS % 1000 * 1000000L};
    bool is_terminal = isatty(STDERR_FILENO), well = true;
    int left = jobs, status;

    while (left > 0) {
        pid_t pid = waitpid(-1, &status, is_terminal ? WNOHANG : 0);

        if (pid == 0) {
            print_progress(shares, jobs, expected);
            nanosleep(&pause, NULL);
        } else if (pid > 0) {
            left--;
            if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
                fprintf(stderr, "\na worker ended with wait status %#x\n", (unsigned)status);
                well = false;
            }
        } else if (errno != EINTR) {
            return false;
        }
    }
    if (is_terminal)
        fputc('\n', stderr);
    return well;
}

int workers_run(worker work, int jobs, uint64_t expected, const void *context,
                struct explore_total *sum)
{
    size_t bytes = (size_t)jobs * sizeof(struct share);
    struct share *shares =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool well;

    assert(shares != MAP_FAILED);
    fflush(NULL);
    for (int job = 0; job < jobs; job++) {
        pid_t pid = fork();

        assert(pid >= 0);
        if (pid == 0) {
            explore_report_fatal_signals();
            work(job, jobs, &shares[job].total, context);
            _exit(0);
        }
    }
    well = watch(shares, jobs, expected);
    *sum = add_up(shares, jobs);
    munmap(shares, bytes);
    return well && sum->failed == 0 ? 0 : 1;
}
