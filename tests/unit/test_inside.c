/* What the library takes for granted of MPICH and UCX, by what these say of themselves. */
#include "mpi/inside.h"
#include "unit.h"

#include <string.h>

static struct ftc_inside_mpi mpi;

START_TEST(mpich_says_its_version_and_device)
{
    ftc_inside_read("MPICH Version:    \t4.0.2\nMPICH Release date:\tThu Apr  7\n"
                    "MPICH Device:    \tch4:ucx\nMPICH configure: \t--prefix=/usr\n",
                    &mpi);
    ck_assert_uint_eq(mpi.version, 400);
    ck_assert_str_eq(mpi.device, "ch4:ucx");
    ck_assert_str_eq(mpi.name, "MPICH 4.0.2 (ch4:ucx)");
}
END_TEST

START_TEST(versions_before_a_release)
{
    ftc_inside_read("MPICH Version:      5.1.0a2\nMPICH Device:       ch3:nemesis\n", &mpi);
    ck_assert_uint_eq(mpi.version, 501);
    ck_assert_str_eq(mpi.device, "ch3:nemesis");
    ck_assert_str_eq(mpi.name, "MPICH 5.1.0a2 (ch3:nemesis)");
}
END_TEST

START_TEST(libraries_of_others)
{
    ftc_inside_read("Intel(R) MPI Library 2021.9 for Linux* OS\n", &mpi);
    ck_assert_uint_eq(mpi.version, 0);
    ck_assert_str_eq(mpi.name, "Intel(R) MPI Library 2021.9 for Linux* OS");
    ck_assert_str_eq(mpi.device, "");
    ftc_inside_read("MPI VERSION    : CRAY MPICH version 8.1.27.26 (ANL base 3.4a2)\n", &mpi);
    ck_assert_uint_eq(mpi.version, 0);
    ftc_inside_read("", &mpi);
    ck_assert_uint_eq(mpi.version, 0);
    ftc_inside_read("MPICH Version: unknown", &mpi);
    ck_assert_uint_eq(mpi.version, 0);
}
END_TEST

START_TEST(without_mpi_nothing_can_be_relied_on)
{
    ck_assert(!ftc_inside_has(FTC_INSIDE_FINALIZE));
    ck_assert(!ftc_inside_has(FTC_INSIDE_ABANDON));
    ck_assert_uint_eq(ftc_inside_ucx(), 0);
}
END_TEST

START_TEST(the_launcher_is_known_by_its_answer)
{
    ck_assert(!ftc_inside_has(FTC_INSIDE_LAUNCHER));
    ftc_inside_heard(101);
    ck_assert(ftc_inside_has(FTC_INSIDE_LAUNCHER));
    ftc_inside_heard(200);
    ck_assert(ftc_inside_has(FTC_INSIDE_LAUNCHER));
    ftc_inside_heard(300);
    ck_assert(!ftc_inside_has(FTC_INSIDE_LAUNCHER));
}
END_TEST

START_TEST(only_what_was_wanted_is_missing)
{
    char text[1024];

    ck_assert(!ftc_inside_describe_missing(text, sizeof text));
    ck_assert(!ftc_inside_want(FTC_INSIDE_ABANDON));
    ck_assert(ftc_inside_describe_missing(text, sizeof text));
    ck_assert_ptr_nonnull(strstr(text, "leave, known for MPICH 4.0 to 5.0 with device ch4:ucx, "
                                       "4.0 to 4.0 with device ch4:ofi, "));
    ck_assert_ptr_null(strstr(text, "finalize, known"));
    ftc_inside_trust(true);
    ck_assert(ftc_inside_has(FTC_INSIDE_ABANDON));
    ck_assert(!ftc_inside_describe_missing(text, sizeof text));
}
END_TEST

/* Whatever its version: also where the user trusts all of them. */
START_TEST(what_is_out_of_reach_is_missing)
{
    char text[1024];

    ftc_inside_trust(true);
    ftc_inside_miss(FTC_INSIDE_ABANDON);
    ck_assert(ftc_inside_has(FTC_INSIDE_FINALIZE));
    ck_assert(!ftc_inside_want(FTC_INSIDE_ABANDON));
    ck_assert(ftc_inside_describe_missing(text, sizeof text));
    ck_assert_ptr_nonnull(
        strstr(text, "leave, out of reach in this build of it (without it a call"));
}
END_TEST

int main(void)
{
    UNIT_BEGIN("inside");
    UNIT_TEST(mpich_says_its_version_and_device);
    UNIT_TEST(versions_before_a_release);
    UNIT_TEST(libraries_of_others);
    UNIT_TEST(without_mpi_nothing_can_be_relied_on);
    UNIT_TEST(the_launcher_is_known_by_its_answer);
    UNIT_TEST(only_what_was_wanted_is_missing);
    UNIT_TEST(what_is_out_of_reach_is_missing);
    UNIT_END();
}
