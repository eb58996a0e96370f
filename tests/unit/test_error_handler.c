/* Whose error handler is called for an error on a communicator, and whether that ends the job. */
#include "communicator/attribute.h"
#include "communicator/error_handler.h"
#include "library.h"
#include "mpi/inside.h"
#include "unit.h"
#include "value/datatype.h"

enum { MADE = 77, COPY, COMMS = 4, MPICH_4_0 = 400, MPICH_4_2 = 402, OWN_HANDLER = 4711 };

struct ftc_library ftc_library = {.state = FTC_LIBRARY_ACTIVE};
static unsigned mpich;
static struct {
    MPI_Comm comm;
    void *kept;
    MPI_Errhandler handler; /* MPI_ERRORS_ARE_FATAL also if it has none */
} of[COMMS] = {{.comm = MPI_COMM_WORLD}, {.comm = MPI_COMM_SELF}, {.comm = MADE}, {.comm = COPY}};

static int place_of(MPI_Comm comm)
{
    int i = 0;

    while (i < COMMS && of[i].comm != comm)
        i++;
    ck_assert_int_lt(i, COMMS);
    return i;
}

bool ftc_is_comm(MPI_Comm comm)
{
    return comm != MPI_COMM_NULL;
}

void *ftc_attribute_get(MPI_Comm comm, enum ftc_attribute_section section)
{
    ck_assert_int_eq(section, FTC_SECTION_ERROR_HANDLER);
    return of[place_of(comm)].kept;
}

bool ftc_attribute_keep(MPI_Comm comm, enum ftc_attribute_section section, void *kept)
{
    ck_assert_int_eq(section, FTC_SECTION_ERROR_HANDLER);
    of[place_of(comm)].kept = kept;
    return true;
}

unsigned ftc_inside_mpich(void)
{
    return mpich;
}

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *handler)
{
    *handler = of[place_of(comm)].handler;
    return MPI_SUCCESS;
}

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    of[place_of(comm)].handler = handler;
    return MPI_SUCCESS;
}

int PMPI_Errhandler_free(MPI_Errhandler *handler)
{
    *handler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}

static void setup(void)
{
    mpich = MPICH_4_0;
    for (int i = 0; i < COMMS; i++) {
        of[i].kept = NULL;
        of[i].handler = MPI_ERRORS_ARE_FATAL;
    }
}

static void set(MPI_Comm comm, MPI_Errhandler handler)
{
    of[place_of(comm)].handler = handler;
    ftc_error_handler_note(comm, handler);
}

START_TEST(without_a_handler_it_is_that_of_the_world)
{
    ck_assert(!ftc_comm_returns_errors(MADE));
    set(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    ck_assert(!ftc_comm_returns_errors(MADE));
    set(MPI_COMM_WORLD, OWN_HANDLER);
    ck_assert_int_eq(ftc_comm_of_errors(MADE), MPI_COMM_WORLD);
    ck_assert(ftc_comm_returns_errors(MADE));
    set(MADE, MPI_ERRORS_RETURN);
    ck_assert_int_eq(ftc_comm_of_errors(MADE), MADE);
    set(MADE, MPI_ERRORS_ABORT);
    ck_assert_int_eq(ftc_comm_of_errors(MADE), MADE);
    ck_assert(!ftc_comm_returns_errors(MADE));
}
END_TEST

START_TEST(in_younger_libraries_that_of_self_goes_before)
{
    mpich = MPICH_4_2;
    set(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    ck_assert_int_eq(ftc_comm_of_errors(MADE), MPI_COMM_WORLD);
    ck_assert_int_eq(ftc_comm_of_other_errors(), MPI_COMM_WORLD);
    set(MPI_COMM_SELF, OWN_HANDLER);
    ck_assert_int_eq(ftc_comm_of_errors(MADE), MPI_COMM_SELF);
    ck_assert_int_eq(ftc_comm_of_errors(MPI_COMM_WORLD), MPI_COMM_WORLD);
    set(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    ck_assert(!ftc_comm_returns_errors(MADE));
}
END_TEST

START_TEST(what_the_program_wants_to_be_fatal_is)
{
    MPI_Comm copy = COPY, none = MPI_COMM_NULL;

    set(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    set(MADE, MPI_ERRORS_ARE_FATAL);
    ck_assert(!ftc_comm_returns_errors(MADE));
    ck_assert_int_eq(ftc_error_handler_from(MADE, &copy, MPI_SUCCESS), MPI_SUCCESS);
    ck_assert_int_eq(ftc_error_handler_from(MADE, &none, MPI_SUCCESS), MPI_SUCCESS);
    ck_assert_int_eq(ftc_error_handler_from(MADE, NULL, MPI_SUCCESS), MPI_SUCCESS);
    ck_assert_int_eq(ftc_error_handler_from(MADE, &none, MPI_ERR_COMM), MPI_ERR_COMM);
    ck_assert(!ftc_comm_returns_errors(COPY));
    set(COPY, OWN_HANDLER);
    ck_assert(ftc_comm_returns_errors(COPY));
    ck_assert(!ftc_error_handler_is_fatal(COPY));
    ck_assert(!ftc_comm_returns_errors(MADE));
    ftc_error_handler_note(MPI_COMM_NULL, MPI_ERRORS_ARE_FATAL); /* 5.0.2 may allow it */
}
END_TEST

/* Also to several, one after the other. */
START_TEST(one_that_is_taken_is_given)
{
    MPI_Errhandler none, returns, is_fatal;

    none = ftc_error_handler_take(MADE);
    set(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    ftc_error_handler_give(none, COPY);
    ck_assert(ftc_comm_returns_errors(COPY));
    set(MADE, OWN_HANDLER);
    returns = ftc_error_handler_take(MADE);
    set(MADE, MPI_ERRORS_ARE_FATAL);
    is_fatal = ftc_error_handler_take(MADE);
    ftc_error_handler_give(is_fatal, COPY);
    ck_assert(!ftc_comm_returns_errors(COPY));
    ftc_error_handler_give(returns, COPY);
    ck_assert_int_eq(ftc_comm_of_errors(COPY), COPY);
    ck_assert(ftc_comm_returns_errors(COPY));
    ftc_error_handler_give(is_fatal, COPY);
    ck_assert(!ftc_comm_returns_errors(COPY));
    ftc_error_handler_drop(&is_fatal);
    ck_assert_int_eq(is_fatal, MPI_ERRHANDLER_NULL);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("error handler");
    tcase_add_checked_fixture(unit_case, setup, NULL);
    UNIT_TEST(without_a_handler_it_is_that_of_the_world);
    UNIT_TEST(in_younger_libraries_that_of_self_goes_before);
    UNIT_TEST(what_the_program_wants_to_be_fatal_is);
    UNIT_TEST(one_that_is_taken_is_given);
    UNIT_END();
}
