/* Which cores of which machine: the same for processes that share them, wherever they are. */
#include "system/cores.h"
#include "unit.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a machine with many cores ---- */

enum { USUAL = 0, MANY = 4096, CORE = 4000 };
static int possible = USUAL; /* cores that the machine may have */

/* In the place of the C library's: the kernel refuses a set without room for all. */
int sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set)
{
    long rv = syscall(SYS_sched_getaffinity, pid, bytes, set);

    if (rv < 0 || bytes * 8 < (size_t)possible) {
        errno = rv < 0 ? errno : EINVAL;
        return -1;
    }
    if (possible == MANY) {
        memset(set, 0, bytes);
        ((unsigned char *)set)[CORE / 8] = 3u << CORE % 8;
    }
    return 0;
}

START_TEST(cores_beyond_a_cpu_set_count)
{
    uint64_t set[FTC_CORES_WORDS];

    possible = MANY;
    ck_assert(ftc_cores_may_use(set));
    ck_assert_uint_eq(ftc_cores_own().count, 2);
    possible = FTC_CORES_MAX + 1;
    ck_assert(!ftc_cores_may_use(set));
    ck_assert_uint_eq(ftc_cores_own().count, 0);
    possible = USUAL;
}
END_TEST

/* ---- containers ---- */

/* What a process of its own finds, after @prepare. */
static struct ftc_cores elsewhere(void (*prepare)(void))
{
    struct ftc_cores found = {0};
    int tube[2], status;
    pid_t child;

    ck_assert_int_eq(pipe(tube), 0);
    child = fork();
    if (child == 0) {
        prepare();
        found = ftc_cores_own();
        _exit(write(tube[1], &found, sizeof found) == (ssize_t)sizeof found ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(read(tube[0], &found, sizeof found), sizeof found);
    close(tube[0]);
    close(tube[1]);
    return found;
}

/* As far as this user may: without, it is one process more. */
static void go_into_a_container(void)
{
    if (unshare(CLONE_NEWUSER | CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEWIPC) == 0)
        (void)!sethostname("container", strlen("container"));
}

static void keep_one_core(void)
{
    cpu_set_t own, one;
    int first = 0;

    CPU_ZERO(&own);
    if (sched_getaffinity(0, sizeof own, &own) != 0)
        _exit(2);
    while (!CPU_ISSET(first, &own))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        _exit(3);
}

START_TEST(a_container_has_the_cores_of_its_machine)
{
    struct ftc_cores own = ftc_cores_own(), there = elsewhere(go_into_a_container);

    ck_assert_uint_gt(own.count, 0);
    ck_assert_uint_eq(there.count, own.count);
    ck_assert_uint_eq(there.identity, own.identity);
    ck_assert_uint_eq(there.machine, own.machine);
}
END_TEST

START_TEST(a_process_that_is_bound_has_its_own)
{
    struct ftc_cores own = ftc_cores_own(), bound = elsewhere(keep_one_core);

    ck_assert_uint_eq(bound.count, 1);
    ck_assert_uint_eq(bound.machine, own.machine);
    if (own.count > 1)
        ck_assert_uint_ne(bound.identity, own.identity);
    ck_assert_uint_eq(elsewhere(keep_one_core).identity, bound.identity);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("cores");
    UNIT_TEST(cores_beyond_a_cpu_set_count);
    UNIT_TEST(a_container_has_the_cores_of_its_machine);
    UNIT_TEST(a_process_that_is_bound_has_its_own);
    UNIT_END();
}
