/* Early news of a death: what it tells of a process that lives, is killed, or ends in another way.
 */
#include "system/lifeline.h"
#include "unit.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct ftc_lifeline *shared(void)
{
    void *p = mmap(NULL, sizeof(struct ftc_lifeline), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    ck_assert_ptr_ne(p, MAP_FAILED);
    return p;
}

/* A process that has taken its lock, and does @then. */
static pid_t start(struct ftc_lifeline *life, void (*then)(void))
{
    pid_t pid = fork();

    if (pid == 0) {
        if (ftc_lifeline_begin(life) == 0)
            then();
        _exit(1);
    }
    while (atomic_load(&life->rank.holder) == 0)
        sched_yield();
    return pid;
}

static void live(void)
{
    for (;;)
        pause();
}

/* Likewise, the lock of a monitor process. */
static pid_t start_monitor(struct ftc_lifeline *life)
{
    pid_t pid = fork();

    if (pid == 0) {
        if (ftc_lifeline_guard(life) == 0)
            live();
        _exit(1);
    }
    while (atomic_load(&life->monitor.holder) == 0)
        sched_yield();
    return pid;
}

static void end(void)
{
    _exit(3);
}

/* The process stays a zombie, so that its number stays its own. */
static void await_zombie(pid_t pid)
{
    siginfo_t info;

    ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
}

static void reap(pid_t pid)
{
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

START_TEST(who_lives_is_not_found_ended)
{
    struct ftc_lifeline *life = shared();
    pid_t pid = start(life, live);
    int status;

    ck_assert(!ftc_lifeline_found_ended(life));
    ck_assert(!ftc_lifeline_was_killed(life, pid, &status));
    kill(pid, SIGKILL);
    reap(pid);
}
END_TEST

START_TEST(who_never_began_is_not_found_ended)
{
    ck_assert(!ftc_lifeline_found_ended(shared()));
}
END_TEST

START_TEST(who_was_killed_is_found_once_with_its_signal)
{
    struct ftc_lifeline *life = shared();
    pid_t pid = start(life, live);
    int status = 0;

    kill(pid, SIGUSR1);
    await_zombie(pid);
    ck_assert(ftc_lifeline_found_ended(life));
    ck_assert(!ftc_lifeline_found_ended(life));
    ck_assert(ftc_lifeline_was_killed(life, pid, &status));
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGUSR1);
    reap(pid);
}
END_TEST

START_TEST(who_exits_has_ended_but_was_not_killed)
{
    struct ftc_lifeline *life = shared();
    pid_t pid = start(life, end);
    int status = 0;

    await_zombie(pid);
    ck_assert(ftc_lifeline_found_ended(life));
    ck_assert(!ftc_lifeline_was_killed(life, pid, &status));
    ck_assert(ftc_lifeline_is_ending(life, pid, &status));
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 3);
    reap(pid);
}
END_TEST

/* The monitor process takes the lock over; a rank that looks after it must see the end all the
 * same. */
START_TEST(an_end_that_somebody_awaited_is_still_found)
{
    struct ftc_lifeline *life = shared();
    pid_t pid = start(life, live);

    kill(pid, SIGKILL);
    ftc_lifeline_await_end(life);
    ck_assert(ftc_lifeline_found_ended(life));
    reap(pid);
}
END_TEST

START_TEST(a_monitor_process_that_has_gone_is_noticed)
{
    struct ftc_lifeline *life = shared();
    pid_t pid;

    ck_assert(!ftc_lifeline_is_unguarded(shared()));
    pid = start_monitor(life);
    ck_assert(!ftc_lifeline_is_unguarded(life));
    kill(pid, SIGKILL);
    reap(pid);
    ck_assert(ftc_lifeline_is_unguarded(life));
    ck_assert(!ftc_lifeline_found_ended(life));
}
END_TEST

/* Neither end alone is enough; and another who waits comes to know of both as well. */
START_TEST(both_ends_are_awaited_by_several)
{
    struct ftc_lifeline *life = shared();
    pid_t rank = start(life, live), monitor = start_monitor(life), watcher[2];
    int status;

    for (int i = 0; i < 2; i++) {
        watcher[i] = fork();
        if (watcher[i] == 0) {
            ftc_lifeline_await_both_ends(life);
            _exit(ftc_lifeline_is_unguarded(life) && ftc_lifeline_found_ended(life) ? 3 : 0);
        }
    }
    kill(monitor, SIGKILL);
    reap(monitor);
    ck_assert_int_eq(waitpid(watcher[0], &status, WNOHANG), 0);
    kill(rank, SIGKILL);
    reap(rank);
    for (int i = 0, found = 0; i < 2; i++) {
        ck_assert_int_eq(waitpid(watcher[i], &status, 0), watcher[i]);
        found += WEXITSTATUS(status) == 3;
        ck_assert(i == 0 || found == 1);
    }
}
END_TEST

START_TEST(who_is_left_alone_is_not_found_ended)
{
    struct ftc_lifeline *life = shared();
    pid_t pid = start(life, live);

    atomic_store(&life->left_alone, true);
    kill(pid, SIGKILL);
    reap(pid);
    ck_assert(!ftc_lifeline_found_ended(life));
}
END_TEST

/* A moment of which nothing has been given way yet. */
enum { NOW_NS = 10 * FTC_LIFELINE_STEP_NS };

enum { LOWEST = 19 }; /* setpriority(2) */

static int priority_of(pid_t pid)
{
    return getpriority(PRIO_PROCESS, (id_t)pid);
}

/* @steps below @priority, and no lower than the lowest: the test may have that itself. */
static int lower(int priority, int steps)
{
    return priority + steps < LOWEST ? priority + steps : LOWEST;
}

START_TEST(who_gives_way_does_so_step_by_step)
{
    struct ftc_lifeline *life = shared();
    pid_t pid = start(life, live);
    int before = priority_of(pid);

    ftc_lifeline_give_way(life, pid, NOW_NS);
    ck_assert_int_eq(priority_of(pid), lower(before, 1));
    ftc_lifeline_give_way(life, pid, NOW_NS + FTC_LIFELINE_STEP_NS - 1);
    ftc_lifeline_give_way(life, pid, NOW_NS - 1); /* another's clock was read earlier */
    ck_assert_int_eq(priority_of(pid), lower(before, 1));
    ftc_lifeline_give_way(life, pid, NOW_NS + FTC_LIFELINE_STEP_NS);
    ck_assert_int_eq(priority_of(pid), lower(before, 2));
    kill(pid, SIGKILL);
    reap(pid);
}
END_TEST

START_TEST(a_thread_of_another_process_does_not_give_way)
{
    struct ftc_lifeline *life = shared();
    pid_t pid = start(life, live);
    int before = priority_of(getpid());

    ftc_lifeline_list_threads(life, getpid());
    ck_assert_int_eq(atomic_load(&life->thread[0]), getpid());
    ftc_lifeline_give_way(life, pid, NOW_NS);
    ck_assert_int_eq(priority_of(getpid()), before);
    kill(pid, SIGKILL);
    reap(pid);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("life");
    UNIT_TEST(who_lives_is_not_found_ended);
    UNIT_TEST(who_never_began_is_not_found_ended);
    UNIT_TEST(who_was_killed_is_found_once_with_its_signal);
    UNIT_TEST(who_exits_has_ended_but_was_not_killed);
    UNIT_TEST(an_end_that_somebody_awaited_is_still_found);
    UNIT_TEST(a_monitor_process_that_has_gone_is_noticed);
    UNIT_TEST(both_ends_are_awaited_by_several);
    UNIT_TEST(who_is_left_alone_is_not_found_ended);
    UNIT_TEST(who_gives_way_does_so_step_by_step);
    UNIT_TEST(a_thread_of_another_process_does_not_give_way);
    UNIT_END();
}
