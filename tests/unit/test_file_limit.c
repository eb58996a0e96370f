/* The limit of a file's size: what comes to it, and the signal that the program does not get. */
#include "system/file_limit.h"
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FILE_BYTES = 1 << 16 }; /* Check writes to a file, too */

static int file;
static struct rlimit before;

static void setup(void)
{
    struct rlimit limit;

    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){FILE_BYTES, before.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    file = memfd_create("file", MFD_CLOEXEC);
    ck_assert_int_ge(file, 0);
}

static void teardown(void)
{
    close(file);
    setrlimit(RLIMIT_FSIZE, &before);
}

static void come_to_the_limit(void)
{
    struct ftc_file_limit limit;
    ssize_t written;

    ftc_file_limit_hold(&limit);
    written = pwrite(file, "a", 1, FILE_BYTES);
    ftc_file_limit_release(&limit);
    ck_assert_int_eq(written, -1);
    ck_assert_int_eq(errno, EFBIG);
}

static bool is_blocked(void)
{
    sigset_t mask;

    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    return sigismember(&mask, SIGXFSZ) == 1;
}

static bool is_pending(void)
{
    sigset_t pending;

    sigpending(&pending);
    return sigismember(&pending, SIGXFSZ) == 1;
}

static void set_blocked(bool blocked)
{
    sigset_t only;

    sigemptyset(&only);
    sigaddset(&only, SIGXFSZ);
    pthread_sigmask(blocked ? SIG_BLOCK : SIG_UNBLOCK, &only, NULL);
}

START_TEST(what_is_too_large_is_an_error)
{
    come_to_the_limit();
    ck_assert(!is_blocked());
    ck_assert(!is_pending());
}
END_TEST

START_TEST(a_program_that_has_blocked_the_signal_gets_none_either)
{
    set_blocked(true);
    come_to_the_limit();
    ck_assert(is_blocked());
    ck_assert(!is_pending());
    set_blocked(false);
}
END_TEST

static volatile sig_atomic_t taken;

static void take(int number)
{
    (void)number;
    taken++;
}

START_TEST(what_the_program_has_pending_it_keeps)
{
    signal(SIGXFSZ, take);
    taken = 0;
    set_blocked(true);
    raise(SIGXFSZ);
    come_to_the_limit();
    ck_assert(is_pending());
    set_blocked(false);
    ck_assert_int_eq(taken, 1);
    signal(SIGXFSZ, SIG_DFL);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("file_limit");
    tcase_add_checked_fixture(unit_case, setup, teardown);
    UNIT_TEST(what_is_too_large_is_an_error);
    UNIT_TEST(a_program_that_has_blocked_the_signal_gets_none_either);
    UNIT_TEST(what_the_program_has_pending_it_keeps);
    UNIT_END();
}
