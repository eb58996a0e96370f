/* Whether MPICH polls where it waits, as the library finds it out after MPI_Init. */
#include "library.h"
#include "mpi/inside.h"
#include "new_communicators/aside.h"
#include "new_communicators/detour.h"
#include "new_communicators/gap.h"
#include "new_communicators/leavable.h"
#include "new_communicators/stack.h"
#include "progress/wait.h"
#include "unit.h"

struct ftc_library ftc_library;
_Atomic bool ftc_aside_is_any_left;
_Thread_local bool ftc_wait_is_looking;

static int probes, polls_at; /* the probe in which native MPI polls; 0: in none */

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    (void)source;
    (void)tag;
    (void)status;
    ck_assert(comm == MPI_COMM_SELF);
    *flag = 0;
    if (++probes == polls_at)
        ftc_leavable_poll();
    return MPI_SUCCESS;
}

/* No call is under way. */

bool ftc_inside_has(enum ftc_inside part)
{
    (void)part;
    return true;
}

void *ftc_stack_take(void)
{
    return NULL;
}

void ftc_stack_give_back(void *stack)
{
    (void)stack;
}

bool ftc_stack_is_on(const void *stack)
{
    (void)stack;
    return false;
}

void ftc_stack_prepare(void *stack, ucontext_t *callee, ucontext_t *caller, void (*function)(void))
{
    (void)stack;
    (void)callee;
    (void)caller;
    (void)function;
}

void ftc_gap_await(void (*then)(void))
{
    (void)then;
}

void ftc_gap_forget(void)
{
}

bool ftc_detour_pause(void)
{
    return false;
}

bool ftc_aside_is_here(void)
{
    return false;
}

bool ftc_aside_has_seen_death(void)
{
    return false;
}

void ftc_aside_poll(void)
{
}

START_TEST(what_has_waited_long_enough_is_not_asked)
{
    polls_at = 1;
    ftc_leavable_poll();
    ck_assert(ftc_leavable_is_polled());
    ck_assert_int_eq(probes, 0);
}
END_TEST

/* As with device ch3, where one rank comes through MPI_Init with a poll, and another without. */
START_TEST(what_has_not_polled_yet_is_made_to)
{
    polls_at = 1;
    ck_assert(ftc_leavable_is_polled());
    ck_assert_int_eq(probes, 1);
}
END_TEST

START_TEST(what_never_polls_is_not_asked_for_ever)
{
    polls_at = 0;
    ck_assert(!ftc_leavable_is_polled());
    ck_assert_int_gt(probes, 1);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("leavable");
    UNIT_TEST(what_has_waited_long_enough_is_not_asked);
    UNIT_TEST(what_has_not_polled_yet_is_made_to);
    UNIT_TEST(what_never_polls_is_not_asked_for_ever);
    UNIT_END();
}
