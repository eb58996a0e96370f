/* Numbers that a communicator leaves behind are kept from new ones, and each of the native calls
 * that does so stands under a mark, which setting on_blocked looks at. MPICH is a set of numbers
 * here, of which it gives out the lowest that is free. */
#include "communicator/attribute.h"
#include "new_communicators/context.h"
#include "program/native_call.h"
#include "unit.h"
#include "value/datatype.h"

#include <errno.h>

enum { NUMBERS = 64, SPARE = 8, FREE_FAILED = 17 };

static bool is_used[NUMBERS];
static bool is_full, is_marked, is_abandoned[NUMBERS];
static int marks, native_calls, unmarked_calls, free_result;
static MPI_Errhandler self_handler;

static void call_native(void)
{
    native_calls++;
    if (!is_marked)
        unmarked_calls++;
}

/* Handles are their numbers: MPI_COMM_NULL is none of them. */
int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
    int number = 0;

    ck_assert(comm == MPI_COMM_SELF || is_used[comm]);
    call_native();
    while (number < NUMBERS && is_used[number])
        number++;
    if (is_full || number == NUMBERS)
        return MPI_ERR_OTHER;
    is_used[number] = true;
    *newcomm = number;
    return MPI_SUCCESS;
}

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    ck_assert(is_used[comm]);
    self_handler = handler;
    return MPI_SUCCESS;
}

int PMPI_Comm_free(MPI_Comm *comm)
{
    ck_assert(is_used[*comm]);
    call_native();
    if (free_result == MPI_SUCCESS)
        is_used[*comm] = false;
    return free_result;
}

static int free_failing(MPI_Comm *comm)
{
    int rv;

    free_result = FREE_FAILED;
    rv = PMPI_Comm_free(comm);
    free_result = MPI_SUCCESS;
    return rv;
}

bool ftc_is_comm(MPI_Comm comm)
{
    return comm != MPI_COMM_NULL;
}

bool ftc_attribute_keep(MPI_Comm comm, enum ftc_attribute_section section, void *kept)
{
    ck_assert_int_eq(section, FTC_SECTION_CONTEXT);
    is_abandoned[comm] = kept != NULL;
    return true;
}

void *ftc_attribute_get(MPI_Comm comm, enum ftc_attribute_section section)
{
    ck_assert_int_eq(section, FTC_SECTION_CONTEXT);
    return is_abandoned[comm] ? &is_abandoned[comm] : NULL;
}

void ftc_native_call_mark(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                          const void *return_address)
{
    ck_assert_int_eq(kind, FTC_CALL_COMM_FREE);
    ck_assert(is_used[comm]);
    ck_assert_int_eq(peer, FTC_ALL_MEMBERS);
    ck_assert_ptr_eq(return_address, &marks);
    ck_assert(!is_marked);
    is_marked = true;
    marks++;
}

void ftc_native_call_leave(void)
{
    ck_assert(is_marked);
    is_marked = false;
}

static int used(void)
{
    int count = 0;

    for (int i = 0; i < NUMBERS; i++)
        count += is_used[i];
    return count;
}

static MPI_Comm made(void)
{
    MPI_Comm comm = MPI_COMM_NULL;

    ck_assert_int_eq(PMPI_Comm_dup(MPI_COMM_SELF, &comm), MPI_SUCCESS);
    return comm;
}

static int retire(MPI_Comm *comm, int (*native)(MPI_Comm *comm))
{
    int rv;

    native_calls = unmarked_calls = 0;
    rv = ftc_context_retire(comm, native, &marks);
    ck_assert_int_gt(native_calls, 2);
    ck_assert_int_eq(unmarked_calls, 0);
    ck_assert(!is_marked);
    return rv;
}

static void setup(void)
{
    ck_assert_int_eq(ftc_context_open(), 0);
    ck_assert_int_eq(self_handler, MPI_ERRORS_RETURN);
}

START_TEST(no_communicator_gets_the_number_of_a_retired_one)
{
    MPI_Comm comm = made();
    int number = comm, before = used();

    ck_assert_int_eq(retire(&comm, PMPI_Comm_free), MPI_SUCCESS);
    ck_assert_int_eq(used(), before + SPARE);
    while (used() < NUMBERS)
        ck_assert_int_ne(made(), number);
    ck_assert_int_eq(marks, 1);
}
END_TEST

START_TEST(with_few_numbers_left_all_that_are_free_are_lost)
{
    MPI_Comm comm = made();

    while (used() < NUMBERS - SPARE / 2)
        made();
    ck_assert_int_eq(retire(&comm, PMPI_Comm_free), MPI_SUCCESS);
    ck_assert_int_eq(used(), NUMBERS);
}
END_TEST

START_TEST(an_error_of_the_free_is_returned)
{
    MPI_Comm comm = made();

    ck_assert_int_eq(retire(&comm, free_failing), FREE_FAILED);
    ck_assert(is_used[comm]);
}
END_TEST

START_TEST(only_a_communicator_with_an_abandoned_call_is_retired)
{
    MPI_Comm comm = made(), other = made(), null = MPI_COMM_NULL;

    ck_assert(!ftc_context_is_abandoned(&comm));
    ftc_context_abandon(comm);
    ck_assert(ftc_context_is_abandoned(&comm));
    ck_assert(!ftc_context_is_abandoned(&other));
    ck_assert(!ftc_context_is_abandoned(&null));
    ck_assert(!ftc_context_is_abandoned(NULL));
}
END_TEST

START_TEST(a_process_without_a_number_left_is_told_at_the_start)
{
    is_full = true;
    ck_assert_int_eq(ftc_context_open(), -EINVAL);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("context");
    tcase_add_checked_fixture(unit_case, setup, NULL);
    UNIT_TEST(no_communicator_gets_the_number_of_a_retired_one);
    UNIT_TEST(with_few_numbers_left_all_that_are_free_are_lost);
    UNIT_TEST(an_error_of_the_free_is_returned);
    UNIT_TEST(only_a_communicator_with_an_abandoned_call_is_retired);
    UNIT_TEST(a_process_without_a_number_left_is_told_at_the_start);
    UNIT_END();
}
