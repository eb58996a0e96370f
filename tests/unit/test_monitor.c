/* Which monitor process is whose: the marker in the environment. */
#include "monitor/monitor.h"
#include "monitor/pmi.h"
#include "mpi/mpi_library.h"
#include "unit.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int pmi; /* the launcher's socket */

int ftc_pmi_fd(void)
{
    return pmi;
}

/* A script or any other program that may start a rank. */
enum ftc_mpi_abi ftc_mpi_linked(void)
{
    return FTC_MPI_NONE;
}

static void setup(void)
{
    int pair[2];

    ck_assert_int_eq(pipe(pair), 0);
    pmi = pair[0];
}

static unsigned long inode_of(int fd)
{
    struct stat st;

    ck_assert_int_eq(fstat(fd, &st), 0);
    return (unsigned long)st.st_ino;
}

/* Marks this process as one below a rank whose PMI socket is @outer. */
static void mark_as_below(int outer)
{
    char text[96];

    snprintf(text, sizeof text, "%d:%d:%d:%d:%lu", (int)getppid(), (int)getppid(), outer, outer,
             inode_of(outer));
    setenv("FTCOLL_INTERNAL_MONITOR", text, 1);
}

START_TEST(what_a_rank_starts_is_no_rank)
{
    mark_as_below(pmi);
    ck_assert(!ftc_monitor_is_rank());
}
END_TEST

/* mpiexec was started by a rank. */
START_TEST(what_the_launcher_of_a_job_within_a_job_starts_is_a_rank)
{
    int outer = pmi;

    setup();
    mark_as_below(outer);
    ck_assert(ftc_monitor_is_rank());
}
END_TEST

int main(void)
{
    UNIT_BEGIN("monitor");
    tcase_add_checked_fixture(unit_case, setup, NULL);
    UNIT_TEST(what_a_rank_starts_is_no_rank);
    UNIT_TEST(what_the_launcher_of_a_job_within_a_job_starts_is_a_rank);
    UNIT_END();
}
