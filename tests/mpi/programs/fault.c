#include "fault.h"

#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

struct word {
    const char *text;
    int value;
};

static const struct word forms[] = {
    {"kill", FAULT_KILL},   {"segv", FAULT_SEGV},     {"abort", FAULT_ABORT},
    {"exit3", FAULT_EXIT3}, {"exit0", FAULT_EXIT0},   {"stop", FAULT_STOP},
    {"sleep", FAULT_SLEEP}, {"freeze", FAULT_FREEZE}, {0}};

/* Longer words first: "init" must not be taken for "in". */
static const struct word moments[] = {{"ininit", FAULT_IN_INIT},
                                      {"infinalize", FAULT_IN_FINALIZE},
                                      {"init", FAULT_INIT},
                                      {"finalize", FAULT_FINALIZE},
                                      {"after", FAULT_AFTER},
                                      {"in", FAULT_INSIDE},
                                      {"~", FAULT_AROUND},
                                      {"", FAULT_BETWEEN},
                                      {0}};

bool (*fault_is_over)(void);

static const struct fault *volatile pending; /* announced */
static struct timespec step_start;
static unsigned last_step_us;

uint64_t fault_random(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static const char *take_word(const struct word *words, const char *text, int *value)
{
    for (; words->text; words++)
        if (strncmp(text, words->text, strlen(words->text)) == 0) {
            *value = words->value;
            return text + strlen(words->text);
        }
    return NULL;
}

bool fault_parse(const char *text, struct fault *fault)
{
    char *end;
    int value;

    memset(fault, 0, sizeof *fault);
    text = take_word(forms, text, &value);
    if (!text)
        return false;
    fault->form = (enum fault_form)value;
    fault->pause_ms = (int)strtol(text, &end, 10);
    if (*end != '@')
        return false;
    text = take_word(moments, end + 1, &value);
    fault->moment = (enum fault_moment)value;
    fault->op = (int)strtol(text, &end, 10);
    if (*end != ':' || strlen(end + 1) >= sizeof fault->victims)
        return false;
    strcpy(fault->victims, end + 1);
    return true;
}

static bool is_listed(const char *list, int rank)
{
    char *end;

    for (; *list; list = *end ? end + 1 : end) {
        if (strtol(list, &end, 10) == rank && end != list)
            return true;
        if (end == list)
            return false;
    }
    return false;
}

/* The first rank that is neither 0 nor the root; with two ranks there may be none. */
static int other_than(int root, int n)
{
    int rank = root == 1 ? 2 : 1;

    return rank < n ? rank : n - 1;
}

bool fault_hits(const struct fault *fault, int rank, int n, int root)
{
    if (strcmp(fault->victims, "zero") == 0)
        return rank == 0;
    if (strcmp(fault->victims, "last") == 0)
        return rank == n - 1;
    if (strcmp(fault->victims, "root") == 0)
        return rank == root;
    if (strcmp(fault->victims, "other") == 0)
        return rank == other_than(root, n);
    return is_listed(fault->victims, rank);
}

int fault_operation(const struct fault *fault, int rank, int ops, uint64_t seed)
{
    uint64_t own = isdigit((unsigned char)fault->victims[0]) ? (uint64_t)rank : 0;

    if (fault->moment != FAULT_AROUND || ops <= fault->op)
        return fault->op;
    return fault->op + (int)(fault_random(seed * 61 + own) % (uint64_t)(ops - fault->op));
}

static void sleep_ms(int ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};

    while (nanosleep(&t, &t) != 0)
        ;
}

/* Who stops cannot continue itself: a helper does, which holds none of its files open. */
static void stop_for(int ms)
{
    pid_t self = getpid();

    if (fork() == 0) {
        close_range(0, ~0u, 0);
        sleep_ms(ms);
        kill(self, SIGCONT);
        _exit(0);
    }
    raise(SIGSTOP);
}

/* The helper ends with whom it is to continue. */
static void stop_until_over(void)
{
    pid_t self = getpid();

    if (fork() == 0) {
        close_range(0, ~0u, 0);
        while (kill(self, 0) == 0 && !fault_is_over())
            sleep_ms(1);
        kill(self, SIGCONT);
        _exit(0);
    }
    raise(SIGSTOP);
}

static void touch_nothing(void)
{
    volatile int *volatile nowhere = NULL;

    *nowhere = 1;
}

void fault_happen(const struct fault *fault)
{
    switch (fault->form) {
    case FAULT_KILL:
        kill(getpid(), SIGKILL);
        for (;;)
            pause();
    case FAULT_SEGV:
        touch_nothing();
        break;
    case FAULT_ABORT:
        abort();
    case FAULT_EXIT3:
        exit(3);
    case FAULT_EXIT0:
        _exit(0);
    case FAULT_STOP:
        stop_for(fault->pause_ms);
        break;
    case FAULT_FREEZE:
        stop_until_over();
        break;
    case FAULT_SLEEP:
        sleep_ms(fault->pause_ms);
        break;
    }
}

/* ---- not while UCX writes into the queue of another rank ---- */

enum { WRITERS = 3 };

static void *writer[WRITERS]; /* UCX's functions for that; NULL where it shows none */

static void find_writers(void)
{
    static const char *const name[WRITERS] = {"uct_mm_ep_am_short", "uct_mm_ep_am_short_iov",
                                              "uct_mm_ep_am_bcopy"};

    for (int i = 0; i < WRITERS; i++)
        writer[i] = dlsym(RTLD_DEFAULT, name[i]);
}

static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *frame, void *found)
{
    uintptr_t function = (uintptr_t)_Unwind_GetRegionStart(frame);

    for (int i = 0; i < WRITERS; i++)
        *(bool *)found |= writer[i] && (uintptr_t)writer[i] == function;
    return _URC_NO_REASON;
}

static bool is_writing(void)
{
    bool found = false;

    _Unwind_Backtrace(look_at_frame, &found);
    return found;
}

/* ---- a random moment ---- */

enum { AGAIN_US = 20 };

static pthread_t caller; /* of MPI, and of this */

static void arm(unsigned us)
{
    struct itimerval timer = {.it_value = {.tv_sec = us / 1000000, .tv_usec = us % 1000000}};

    setitimer(ITIMER_REAL, &timer, NULL);
}

/* exit() is not allowed in a signal handler; what it adds to _exit() is tested where it is. The
 * alarm is the whole process's, of which other threads may be told. */
static void on_alarm(int signal_number)
{
    const struct fault *now = pending;

    if (!pthread_equal(pthread_self(), caller)) {
        pthread_kill(caller, signal_number);
        return;
    }
    if (now && is_writing()) {
        arm(AGAIN_US);
        return;
    }
    pending = NULL;
    if (now && now->form == FAULT_EXIT3)
        _exit(3);
    if (now)
        fault_happen(now);
}

void fault_happen_soon(const struct fault *fault, unsigned within_us, uint64_t seed)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};

    find_writers();
    caller = pthread_self();
    pending = fault;
    sigaction(SIGALRM, &action, NULL);
    arm(1 + (unsigned)(fault_random(seed) % within_us));
}

static unsigned microseconds_since(const struct timespec *start)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned)((now.tv_sec - start->tv_sec) * 1000000 +
                      (now.tv_nsec - start->tv_nsec) / 1000);
}

void fault_step_begin(void)
{
    clock_gettime(CLOCK_MONOTONIC, &step_start);
}

void fault_happen_in_step(const struct fault *fault, uint64_t seed)
{
    fault_happen_soon(fault, 1 + 2 * last_step_us, seed);
}

void fault_step_end(void)
{
    struct itimerval never = {0};
    const struct fault *now;

    last_step_us = microseconds_since(&step_start);
    if (!pending)
        return;
    setitimer(ITIMER_REAL, &never, NULL);
    now = pending;
    pending = NULL;
    if (now)
        fault_happen(now);
}
