#include "proxies.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DESCRIPTORS = 4096 };

/* Process by which mpiexec has started a proxy. */
struct starter {
    _Atomic pid_t pid; /* 0: free place; negative: mpiexec has waited for it */
    _Atomic int number;
};

static struct proxies {
    pthread_mutex_t lock;
    struct ftc_proxy proxy[FTC_PROXIES_MAX];
    int count;
    _Atomic(struct ftc_proxy *) of_fd[DESCRIPTORS];
    _Atomic bool is_end_of_pair[DESCRIPTORS];
    struct ftc_end other_of_pair[DESCRIPTORS]; /* for mpiexec's own thread only */
    struct starter *starter;                   /* array of FTC_PROXIES_MAX in shared memory */
} proxies = {.lock = PTHREAD_MUTEX_INITIALIZER};

void ftc_proxies_lock(void)
{
    pthread_mutex_lock(&proxies.lock);
}

void ftc_proxies_unlock(void)
{
    pthread_mutex_unlock(&proxies.lock);
}

bool ftc_proxies_open(void)
{
    void *memory = mmap(NULL, FTC_PROXIES_MAX * sizeof *proxies.starter, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    proxies.starter = memory == MAP_FAILED ? NULL : memory;
    return proxies.starter != NULL;
}

/* ---- connections ---- */

static struct ftc_proxy *free_place(void)
{
    for (int i = 0; i < proxies.count; i++)
        if (proxies.proxy[i].state == FTC_PROXY_NONE)
            return &proxies.proxy[i];
    return proxies.count < FTC_PROXIES_MAX ? &proxies.proxy[proxies.count++] : NULL;
}

struct ftc_proxy *ftc_proxies_add(int fd)
{
    struct ftc_proxy *p = fd >= 0 && fd < DESCRIPTORS ? free_place() : NULL;

    if (!p)
        return NULL;
    *p = (struct ftc_proxy){.fd = fd};
    p->state = ftc_socket_ends(fd, FTC_OF_MPIEXEC, &p->own, &p->other) ? FTC_PROXY_CONNECTED
                                                                       : FTC_PROXY_STRANGE;
    if (p->other.address.family == AF_UNIX)
        p->other = proxies.other_of_pair[fd];
    atomic_store(&proxies.of_fd[fd], p);
    return p;
}

int ftc_proxies_count(void)
{
    return proxies.count;
}

struct ftc_proxy *ftc_proxies_at(int index)
{
    return &proxies.proxy[index];
}

struct ftc_proxy *ftc_proxies_of_fd(int fd)
{
    return fd >= 0 && fd < DESCRIPTORS ? atomic_load(&proxies.of_fd[fd]) : NULL;
}

void ftc_proxies_close(struct ftc_proxy *p)
{
    atomic_store(&proxies.of_fd[p->fd], NULL);
    p->fd = -1;
    free(p->message);
    p->message = NULL;
    if (!p->is_proxy)
        p->state = FTC_PROXY_NONE;
    else if (p->state == FTC_PROXY_KNOWN)
        p->state = FTC_PROXY_ENDED;
}

void ftc_proxies_know(struct ftc_proxy *p)
{
    p->is_proxy = true;
    if (p->state <= FTC_PROXY_KNOWN)
        p->state = FTC_PROXY_KNOWN;
}

/* Returns whether @p counts as a proxy. A peer of an unknown form may be one. */
static bool counts(const struct ftc_proxy *p)
{
    return p->is_proxy || p->state == FTC_PROXY_STRANGE;
}

int ftc_proxies_known(void)
{
    int known = 0;

    for (int i = 0; i < proxies.count; i++)
        known += counts(&proxies.proxy[i]);
    return known;
}

void ftc_proxies_mark_pair(const int fd[2])
{
    for (int i = 0; i < 2; i++)
        if (fd[i] >= 0 && fd[i] < DESCRIPTORS) {
            proxies.other_of_pair[fd[i]] = ftc_socket_end_of_pair(fd[1 - i]);
            atomic_store(&proxies.is_end_of_pair[fd[i]], true);
        }
}

bool ftc_proxies_unmark_pair(int fd)
{
    return fd >= 0 && fd < DESCRIPTORS && atomic_load(&proxies.is_end_of_pair[fd]) &&
           atomic_exchange(&proxies.is_end_of_pair[fd], false);
}

static bool is_same_address(const struct ftc_address *a, const struct ftc_address *b)
{
    return a->family == b->family && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

struct ftc_proxy *ftc_proxies_of_end(const struct ftc_end *end)
{
    for (int i = 0; i < proxies.count; i++) {
        struct ftc_proxy *p = &proxies.proxy[i];

        if (p->state != FTC_PROXY_NONE && p->other.port == end->port &&
            is_same_address(&p->other.address, &end->address))
            return p;
    }
    return NULL;
}

/* Checks hosts that have ended as well: they had agreed before, or the job has ended. */
bool ftc_proxies_agree(void)
{
    for (int i = 0; i < proxies.count; i++)
        if (counts(&proxies.proxy[i]) && !proxies.proxy[i].is_agreed)
            return false;
    return true;
}

static bool any_other_is_left(const struct ftc_proxy *p)
{
    for (int i = 0; i < proxies.count; i++) {
        const struct ftc_proxy *other = &proxies.proxy[i];

        if (other != p && (other->state == FTC_PROXY_KNOWN || other->state == FTC_PROXY_ENDED))
            return true;
    }
    return false;
}

bool ftc_proxies_tolerate(const struct ftc_proxy *p)
{
    return ftc_proxies_agree() && any_other_is_left(p);
}

/* ---- starters ---- */

void ftc_proxies_started(int number)
{
    for (int i = 0; i < FTC_PROXIES_MAX; i++) {
        pid_t nobody = 0;

        if (!atomic_compare_exchange_strong(&proxies.starter[i].pid, &nobody, getpid()))
            continue;
        atomic_store(&proxies.starter[i].number, number);
        return;
    }
}

void ftc_proxies_kill_starter(const struct ftc_proxy *p)
{
    for (int i = 0; i < FTC_PROXIES_MAX; i++) {
        pid_t pid = atomic_load(&proxies.starter[i].pid);

        if (pid > 0 && atomic_load(&proxies.starter[i].number) == p->wire.proxy)
            kill(pid, SIGKILL);
    }
}

/* Returns whether @p goes on or has sent all that mpiexec needs. With one host returns false,
 * because the starter is the proxy itself. */
static bool is_well(const struct ftc_proxy *p)
{
    return ftc_proxies_known() > 1 && p->greeted > 0 &&
           (p->state == FTC_PROXY_KNOWN || p->state == FTC_PROXY_ENDED);
}

static bool is_no_failure(int number, bool was_killed)
{
    for (int i = 0; i < proxies.count; i++) {
        const struct ftc_proxy *p = &proxies.proxy[i];

        if ((p->was_lost || (was_killed && is_well(p))) && p->wire.proxy == number)
            return true;
    }
    return false;
}

bool ftc_proxies_starter_ended(pid_t pid, bool was_killed)
{
    for (int i = 0; i < FTC_PROXIES_MAX; i++) {
        struct starter *s = &proxies.starter[i];

        if (atomic_load(&s->pid) != pid)
            continue;
        atomic_store(&s->pid, -pid);
        return is_no_failure(atomic_load(&s->number), was_killed);
    }
    return false;
}
