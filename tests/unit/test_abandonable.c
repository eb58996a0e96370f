/* Whether MPICH polls where it waits, as the library finds it out after MPI_Init. */
#include "board/death.h"
#include "communicator/error_handler.h"
#include "library.h"
#include "mpi/inside.h"
#include "new_communicators/abandonable.h"
#include "new_communicators/native_messages.h"
#include "progress/wait.h"
#include "system/clock.h"
#include "unit_board.h"

#include <signal.h>

struct ftc_library ftc_library;
_Thread_local bool ftc_wait_is_looking;

static int probes, polls_at; /* the probe in which native MPI polls; 0: in none */
static bool can_end, is_muted;
static int receives_ended;
static char polled; /* UCX's worker */

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    (void)source;
    (void)tag;
    (void)status;
    ck_assert(comm == MPI_COMM_SELF);
    *flag = 0;
    if (++probes == polls_at)
        ftc_abandonable_poll();
    return MPI_SUCCESS;
}

/* No call is under way. */

bool ftc_inside_has(enum ftc_inside part)
{
    (void)part;
    return true;
}

void ftc_error_handler_mute(struct ftc_muted *m, MPI_Comm comm)
{
    (void)m;
    ck_assert(comm == MPI_COMM_WORLD);
    is_muted = true;
}

void ftc_error_handler_unmute(struct ftc_muted *m, MPI_Comm comm, const MPI_Comm *made)
{
    (void)m;
    (void)comm;
    (void)made;
    is_muted = false;
}

bool ftc_native_messages_can_end(void)
{
    return can_end;
}

uint64_t ftc_native_messages_begin(void)
{
    return 1;
}

void ftc_native_messages_leave(void)
{
}

/* As if the call's last receive were among them. */
bool ftc_native_messages_end_receives(uint64_t number, void *worker)
{
    ck_assert_uint_eq(number, 1);
    ck_assert_ptr_eq(worker, &polled);
    ck_assert(is_muted);
    receives_ended++;
    return true;
}

bool ftc_native_messages_end_sends(uint64_t number)
{
    (void)number;
    return false;
}

START_TEST(what_has_waited_long_enough_is_not_asked)
{
    polls_at = 1;
    ftc_abandonable_poll();
    ck_assert(ftc_abandonable_is_polled());
    ck_assert_int_eq(probes, 0);
}
END_TEST

/* As with device ch3, where one rank comes through MPI_Init with a poll, and another without. */
START_TEST(what_has_not_polled_yet_is_made_to)
{
    polls_at = 1;
    ck_assert(ftc_abandonable_is_polled());
    ck_assert_int_eq(probes, 1);
}
END_TEST

START_TEST(what_never_polls_is_not_asked_for_ever)
{
    polls_at = 0;
    ck_assert(!ftc_abandonable_is_polled());
    ck_assert_int_gt(probes, 1);
}
END_TEST

static bool is_hopeless(void *context)
{
    return *(bool *)context;
}

/* As MPICH waits: until there is an error, or a second and more. */
static void wait_natively(void *argument)
{
    uint64_t until_ns = ftc_clock_ns() + *(uint64_t *)argument;

    while (receives_ended == 0 && ftc_clock_ns() < until_ns)
        ftc_abandonable_poll_worker(&polled);
}

START_TEST(a_call_is_ended_when_it_has_been_hopeless_for_a_while)
{
    uint64_t ns = 10000000000;
    bool hopeless = true;

    can_end = true;
    ftc_library.board = unit_board(unit_geometry(2, 8));
    ck_assert(ftc_board_mark_failed(&ftc_library.board, 1, FTC_DEATH_SIGNAL, SIGKILL));
    ck_assert_int_eq(
        ftc_abandonable_make(wait_natively, &ns, is_hopeless, &hopeless, MPI_COMM_WORLD, NULL),
        FTC_ABANDONABLE_ENDED);
    ck_assert(!is_muted);
    ck_assert_int_eq(receives_ended, 1);
    ftc_abandonable_poll_worker(&polled); /* of another call */
    ck_assert_int_eq(receives_ended, 1);
}
END_TEST

START_TEST(a_call_that_is_not_hopeless_ends_by_itself)
{
    uint64_t ns = 200000000;
    bool hopeless = false;

    can_end = true;
    ftc_library.board = unit_board(unit_geometry(1, 8));
    ck_assert_int_eq(
        ftc_abandonable_make(wait_natively, &ns, is_hopeless, &hopeless, MPI_COMM_WORLD, NULL),
        FTC_ABANDONABLE_OVER);
    ck_assert_int_eq(receives_ended, 0);
}
END_TEST

START_TEST(a_call_that_cannot_be_ended_is_left)
{
    uint64_t ns = 10000000000;
    bool hopeless = true;

    ck_assert_int_eq(
        ftc_abandonable_make(wait_natively, &ns, is_hopeless, &hopeless, MPI_COMM_WORLD, NULL),
        FTC_ABANDONABLE_ABANDONED);
    ck_assert_int_eq(receives_ended, 0);
}
END_TEST

START_TEST(a_file_that_is_opened_in_vain_is_left)
{
    uint64_t ns = 10000000000;
    bool hopeless = true;

    ck_assert(!ftc_abandonable_run_on_file(wait_natively, &ns, is_hopeless, &hopeless));
}
END_TEST

static bool note_question(void *is_asked)
{
    *(bool *)is_asked = true;
    return false;
}

START_TEST(with_threads_a_file_is_opened_to_the_end)
{
    uint64_t ns = 1000000;
    bool is_asked = false;

    ftc_library.threaded = true;
    ck_assert(ftc_abandonable_run_on_file(wait_natively, &ns, note_question, &is_asked));
    ck_assert(!is_asked);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("abandonable");
    UNIT_TEST(a_call_is_ended_when_it_has_been_hopeless_for_a_while);
    UNIT_TEST(a_call_that_is_not_hopeless_ends_by_itself);
    UNIT_TEST(a_call_that_cannot_be_ended_is_left);
    UNIT_TEST(a_file_that_is_opened_in_vain_is_left);
    UNIT_TEST(with_threads_a_file_is_opened_to_the_end);
    UNIT_TEST(what_has_waited_long_enough_is_not_asked);
    UNIT_TEST(what_has_not_polled_yet_is_made_to);
    UNIT_TEST(what_never_polls_is_not_asked_for_ever);
    UNIT_END();
}
