#include "life.h"

#include "proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LIFE_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

enum { LOOKS = 10, LOOK_AGAIN_NS = 100000 };

/* Fields of proc_pid_stat(5), and the kernel's bit for a thread that is exiting. */
enum { STAT_FLAGS = 9, STAT_EXIT_CODE = 52, TASK_EXITING = 0x4 };

struct ftc_life {
    pthread_mutex_t held;
};

static int take(struct ftc_life *life)
{
    pthread_mutexattr_t attributes;
    int rv = pthread_mutexattr_init(&attributes);

    if (rv != 0)
        return -rv;
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    rv = pthread_mutex_init(&life->held, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return rv != 0 ? -rv : -pthread_mutex_lock(&life->held);
}

static struct ftc_life *map(int fd)
{
    void *p = mmap(NULL, sizeof(struct ftc_life), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    return p == MAP_FAILED ? NULL : p;
}

int ftc_life_begin(void)
{
    int fd = memfd_create("ftcoll-life", MFD_CLOEXEC | MFD_ALLOW_SEALING), rv;
    struct ftc_life *life;

    if (fd < 0)
        return -errno;
    if (ftruncate(fd, sizeof *life) != 0 || fcntl(fd, F_ADD_SEALS, LIFE_SEALS) != 0) {
        rv = -errno;
        goto fail;
    }
    life = map(fd);
    rv = life ? take(life) : -ENOMEM;
    if (rv == 0)
        return fd; /* and the mapping stays, like the lock */
fail:
    close(fd);
    return rv;
}

struct ftc_life *ftc_life_map(int fd)
{
    struct stat st;

    if (fstat(fd, &st) != 0 || st.st_uid != geteuid() ||
        st.st_size != (off_t)sizeof(struct ftc_life) ||
        (fcntl(fd, F_GET_SEALS) & LIFE_SEALS) != LIFE_SEALS)
        return NULL;
    return map(fd);
}

void ftc_life_await_end(struct ftc_life *life)
{
    (void)pthread_mutex_lock(&life->held); /* EOWNERDEAD; nobody takes it after us */
}

/* A thread that ends because its process does is exiting, or has been told to by a private SIGKILL.
 */
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
    char path[32];
    struct dirent *entry;
    bool ending = true;
    DIR *threads;

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    threads = opendir(path);
    if (!threads)
        return false;
    while (ending && (entry = readdir(threads)))
        if (entry->d_name[0] != '.')
            ending = thread_is_ending(pid, entry->d_name);
    closedir(threads);
    return ending;
}

/* A thread between taking its SIGKILL and exiting shows neither, so one look is not enough. */
static bool turns_out_to_be_ending(pid_t pid)
{
    for (int look = 0; look < LOOKS; look++) {
        if (all_threads_are_ending(pid))
            return true;
        nanosleep(&(struct timespec){.tv_nsec = LOOK_AGAIN_NS}, NULL);
    }
    return false;
}

bool ftc_life_is_ending(pid_t pid, int *status)
{
    char path[32];
    unsigned long code;

    if (!turns_out_to_be_ending(pid))
        return false;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (!ftc_proc_stat_field(path, STAT_EXIT_CODE, &code))
        return false;
    *status = (int)code;
    return true;
}
