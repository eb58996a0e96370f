/* Signals that come to a monitor process in place of its program. */
#include "monitor/signals.h"
#include "unit.h"

#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

enum { VALUE = 4711 };

static struct ftc_monitored rank;
static int sends; /* the end of a pipe in place of a signalfd */

/* This process is the program, too. It is below a script, so that no signal is taken for the end of
 * the launcher. */
static void setup(void)
{
    sigset_t all;
    int pair[2];

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    ck_assert_int_eq(pipe(pair), 0);
    sends = pair[1];
    rank = (struct ftc_monitored){.signals = pair[0],
                                  .job = {.child = getpid(), .launcher = getppid()}};
}

/* Lets the monitor process have a signal of another process, and returns what the program gets. */
static siginfo_t forwarded(struct signalfd_siginfo s)
{
    siginfo_t got = {0};
    sigset_t only;

    sigemptyset(&only);
    sigaddset(&only, (int)s.ssi_signo);
    s.ssi_pid = (uint32_t)getppid();
    ck_assert_int_eq(write(sends, &s, sizeof s), sizeof s);
    close(sends);
    ftc_signals_forward(&rank);
    ck_assert_int_eq(sigtimedwait(&only, &got, &(struct timespec){0}), (int)s.ssi_signo);
    return got;
}

START_TEST(a_queued_signal_keeps_its_value)
{
    siginfo_t got = forwarded((struct signalfd_siginfo){
        .ssi_signo = (uint32_t)SIGUSR1, .ssi_code = SI_QUEUE, .ssi_ptr = VALUE});

    ck_assert_int_eq(got.si_code, SI_QUEUE);
    ck_assert_ptr_eq(got.si_value.sival_ptr, (void *)VALUE);
}
END_TEST

START_TEST(any_other_signal_has_no_value)
{
    siginfo_t got = forwarded((struct signalfd_siginfo){
        .ssi_signo = (uint32_t)SIGUSR1, .ssi_code = SI_USER, .ssi_ptr = VALUE});

    ck_assert_int_eq(got.si_code, SI_USER);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("signals");
    tcase_add_checked_fixture(unit_case, setup, NULL);
    UNIT_TEST(a_queued_signal_keeps_its_value);
    UNIT_TEST(any_other_signal_has_no_value);
    UNIT_END();
}
