#include "lifeline.h"

#include "proc.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS = 10, LOOK_AGAIN_NS = 100000 };

/* Fields of proc_pid_stat(5), and the kernel's bits for a thread that is exiting and for one that a
 * signal ends. */
enum { STAT_FLAGS = 9, STAT_EXIT_CODE = 52, TASK_EXITING = 0x4, TASK_SIGNALED = 0x400 };

static int make(pthread_mutex_t *mutex)
{
    pthread_mutexattr_t attributes;
    int rv = pthread_mutexattr_init(&attributes);

    if (rv != 0)
        return rv;
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    rv = pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return rv;
}

int ftc_hold_make(struct ftc_hold *hold)
{
    return -make(&hold->mutex);
}

void ftc_hold_take_over(struct ftc_hold *hold)
{
    if (pthread_mutex_lock(&hold->mutex) == EOWNERDEAD)
        pthread_mutex_consistent(&hold->mutex);
    atomic_store(&hold->holder, (int)gettid());
}

static int take(struct ftc_hold *hold)
{
    int rv = make(&hold->mutex);

    if (rv == 0)
        rv = pthread_mutex_lock(&hold->mutex);
    if (rv == 0)
        atomic_store(&hold->holder, (int)gettid());
    return -rv;
}

/* Waits until the holder has ended (EOWNERDEAD). No thread takes the lock after this one. */
static void await_release(struct ftc_hold *hold)
{
    (void)pthread_mutex_lock(&hold->mutex);
}

int ftc_lifeline_begin(struct ftc_lifeline *life)
{
    ftc_lifeline_list_threads(life, getpid());
    return take(&life->rank);
}

int ftc_lifeline_guard(struct ftc_lifeline *life)
{
    return take(&life->monitor);
}

void ftc_lifeline_await_both_ends(struct ftc_lifeline *life)
{
    await_release(&life->monitor);
    await_release(&life->rank);
}

/* Returns the directory of the threads, which the caller closes with closedir(); NULL if the
 * process has ended. */
static DIR *open_threads(pid_t pid)
{
    char path[32];

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    return opendir(path);
}

/* Returns the number of the next thread; NULL at the end. */
static const char *next_thread(DIR *threads)
{
    struct dirent *entry;

    do
        entry = readdir(threads);
    while (entry && entry->d_name[0] == '.');
    return entry ? entry->d_name : NULL;
}

void ftc_lifeline_list_threads(struct ftc_lifeline *life, pid_t pid)
{
    DIR *threads = open_threads(pid);
    const char *tid;
    int count = 0;

    while (threads && count < FTC_LIFELINE_THREADS && (tid = next_thread(threads)))
        atomic_store(&life->thread[count++], atoi(tid));
    if (count < FTC_LIFELINE_THREADS)
        atomic_store(&life->thread[count], 0);
    if (threads)
        closedir(threads);
}

void ftc_lifeline_await_end(struct ftc_lifeline *life)
{
    await_release(&life->rank);
}

bool ftc_lifeline_found_ended(struct ftc_lifeline *life)
{
    return ftc_hold_is_released(&life->rank) && !atomic_load(&life->left_alone) &&
           !atomic_load(&life->examined) && !atomic_exchange(&life->examined, true);
}

/* Checks the exit code too, because the flag is also set in a thread that must end because another
 * one has called exec or exit. */
bool ftc_lifeline_was_killed(const struct ftc_lifeline *life, pid_t pid, int *status)
{
    enum { FLAGS, EXIT_CODE, FIELDS };
    static const int number[FIELDS] = {STAT_FLAGS, STAT_EXIT_CODE};
    unsigned long value[FIELDS];
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, atomic_load(&life->rank.holder));
    if (!ftc_proc_stat_fields(path, number, value, FIELDS) || !(value[FLAGS] & TASK_SIGNALED))
        return false;
    *status = (int)value[EXIT_CODE];
    return WIFSIGNALED(*status);
}

/* Returns whether the thread ends because its process does: it has ended, is exiting, or has a
 * pending SIGKILL of its own. */
static bool thread_is_ending(pid_t pid, const char *tid)
{
    char path[64];
    unsigned long flags, pending;

    snprintf(path, sizeof path, "/proc/%d/task/%.16s/stat", (int)pid, tid);
    if (!ftc_proc_stat_field(path, STAT_FLAGS, &flags) || (flags & TASK_EXITING))
        return true;
    snprintf(path, sizeof path, "/proc/%d/task/%.16s/status", (int)pid, tid);
    return ftc_proc_status_value(path, "SigPnd:", 16, &pending) &&
           (pending >> (SIGKILL - 1) & 1) != 0;
}

static bool all_threads_are_ending(pid_t pid)
{
    DIR *threads = open_threads(pid);
    const char *tid;
    bool ending = true;

    if (!threads)
        return false;
    while (ending && (tid = next_thread(threads)))
        ending = thread_is_ending(pid, tid);
    closedir(threads);
    return ending;
}

/* Checks several times, because a thread that has taken its SIGKILL and is not exiting yet shows
 * neither sign. */
static bool turns_out_to_be_ending(pid_t pid)
{
    for (int look = 0; look < LOOKS; look++) {
        if (all_threads_are_ending(pid))
            return true;
        nanosleep(&(struct timespec){.tv_nsec = LOOK_AGAIN_NS}, NULL);
    }
    return false;
}

bool ftc_lifeline_is_ending(const struct ftc_lifeline *life, pid_t pid, int *status)
{
    char path[32];
    unsigned long code;

    if (ftc_lifeline_was_killed(life, pid, status))
        return true;
    if (!turns_out_to_be_ending(pid))
        return false;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (!ftc_proc_stat_field(path, STAT_EXIT_CODE, &code))
        return false;
    *status = (int)code;
    return true;
}

/* Lowers the priorities by one. SCHED_IDLE, or a lower priority of the whole session
 * (/proc/PID/autogroup), would prolong the end of the dead process: later operations were measured
 * to be several times slower. Checks each listed thread, because its number may belong to another
 * process by now. */
void ftc_lifeline_give_way(struct ftc_lifeline *life, pid_t pid, uint64_t now_ns)
{
    uint64_t last = atomic_load_explicit(&life->gave_way_ns, memory_order_relaxed);

    if ((int64_t)(now_ns - last) < FTC_LIFELINE_STEP_NS ||
        !atomic_compare_exchange_strong(&life->gave_way_ns, &last, now_ns))
        return;
    for (int i = 0; i < FTC_LIFELINE_THREADS && atomic_load(&life->thread[i]) > 0; i++) {
        int thread = atomic_load(&life->thread[i]);

        if (tgkill(pid, thread, 0) == 0)
            setpriority(PRIO_PROCESS, (id_t)thread, getpriority(PRIO_PROCESS, (id_t)thread) + 1);
    }
}
