/* How a rank waits: by what it does in each turn, not by how long that takes. */
#include "detector/killed.h"
#include "detector/silence.h"
#include "detector/unreachable.h"
#include "mpi/polls.h"
#include "progress/running.h"
#include "progress/wait.h"
#include "unit.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FEW_TURNS = 1000, TURN_NS = 100000, SECOND_NS = 1000000000 };
enum { NATIVE_TURNS = 64 }; /* between two looks at native MPI that has no work */

struct ftc_library ftc_library;
_Thread_local bool ftc_polls_have_found;

static union {
    struct ftc_board_shared board;
    char bytes[sizeof(struct ftc_board_shared) + sizeof(struct ftc_board_rank)];
} memory;

static int yields, sleeps, looks, awaited_leases;
static bool has_native_work;
static uint64_t clock_ns;
static atomic_bool has_come_in;
static struct ftc_wait turns;
static struct ftc_running running;
static struct ftc_comm comm = {.running = &running};

/* What the loop calls, counted. */

int sched_yield(void)
{
    yields++;
    return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)time;
    (void)left;
    yields++;
    sleeps++;
    return 0;
}

/* A turn takes longer than it would, so that few are a long wait. */
int clock_gettime(clockid_t which, struct timespec *now)
{
    (void)which;
    clock_ns += TURN_NS;
    *now = (struct timespec){.tv_sec = (time_t)(clock_ns / SECOND_NS),
                             .tv_nsec = (long)(clock_ns % SECOND_NS)};
    return 0;
}

bool ftc_running_expects(const struct ftc_comm *c, int member)
{
    (void)c;
    (void)member;
    return false;
}

void ftc_silence_look(struct ftc_comm *c, bool (*expects)(const struct ftc_comm *c, int member))
{
    (void)c;
    (void)expects;
}

void ftc_unreachable_look(void)
{
}

void ftc_killed_look(struct ftc_comm *c, uint64_t now_ns)
{
    (void)c;
    (void)now_ns;
}

void ftc_fence_stop(void)
{
    abort();
}

void ftc_fence_await_lease(void)
{
    awaited_leases++;
    ftc_lease_renew(&ftc_library.board, UINT64_MAX, ftc_clock_ahead_ns());
}

/* It looks at native MPI while it may hold the library's lock: others must not need that. */
int PMPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    (void)request;
    (void)status;
    *flag = 0;
    looks++;
    if (has_native_work)
        ftc_polls_have_found = true;
    return MPI_SUCCESS;
}

/* Not called in a wait. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define UNUSED(name, ...)                                                                          \
    int name(__VA_ARGS__)                                                                          \
    {                                                                                              \
        abort();                                                                                   \
    }
UNUSED(PMPI_Grequest_start, MPI_Grequest_query_function *query, MPI_Grequest_free_function *release,
       MPI_Grequest_cancel_function *cancel, void *state, MPI_Request *request)
UNUSED(PMPI_Grequest_complete, MPI_Request request)
UNUSED(PMPI_Status_set_cancelled, MPI_Status *status, int flag)
UNUSED(PMPI_Status_set_elements, MPI_Status *status, MPI_Datatype type, int count)
UNUSED(PMPI_Wait, MPI_Request *request, MPI_Status *status)
UNUSED(PMPI_Send_init, const void *buf, int count, MPI_Datatype type, int dest, int tag,
       MPI_Comm in, MPI_Request *request)

static void *come_in(void *unused)
{
    pthread_mutex_lock(&ftc_library.lock);
    atomic_store(&has_come_in, true);
    pthread_mutex_unlock(&ftc_library.lock);
    return unused;
}

static void setup(void)
{
    memset(&memory, 0, sizeof memory);
    ftc_library =
        (struct ftc_library){.board.shared = &memory.board, .lock = PTHREAD_MUTEX_INITIALIZER};
    turns = (struct ftc_wait){0};
    yields = sleeps = looks = awaited_leases = 0;
    has_native_work = ftc_polls_have_found = false;
    has_come_in = false;
}

static void wait_with(bool threaded, uint32_t inside)
{
    ftc_library.threaded = ftc_library.locked = threaded;
    memory.board.rank[0].activity.inside = inside;
    ftc_library_lock();
    for (int i = 0; i < FEW_TURNS; i++)
        ftc_wait_turn(&turns, &comm);
    ftc_library_unlock();
}

START_TEST(a_short_wait_keeps_the_core)
{
    wait_with(false, 1);
    ck_assert_int_eq(yields, 0);
}
END_TEST

START_TEST(also_one_of_several_threads)
{
    wait_with(true, 1);
    ck_assert_int_eq(yields, 0);
}
END_TEST

START_TEST(threads_that_wait_together_leave_the_core_to_each_other)
{
    wait_with(true, 2);
    ck_assert_int_eq(yields, FEW_TURNS);
}
END_TEST

START_TEST(more_ranks_than_cores_leave_it_to_each_other)
{
    ftc_library.oversubscribed = true;
    wait_with(false, 1);
    ck_assert_int_gt(yields, FEW_TURNS / 2);
}
END_TEST

/* Each turn is a system call then. */
START_TEST(with_links_the_core_is_kept_for_fewer_turns)
{
    ftc_library.transport.links = (struct ftc_links *)&memory;
    wait_with(false, 1);
    ck_assert_int_gt(yields, FEW_TURNS / 2);
    ck_assert_int_lt(yields, FEW_TURNS);
}
END_TEST

START_TEST(a_long_wait_is_slept_through)
{
    ftc_library.oversubscribed = true;
    wait_with(false, 1);
    ck_assert_int_gt(sleeps, FEW_TURNS / 2);
}
END_TEST

/* As of one who works on a window here: each thing that it does takes a look. */
START_TEST(while_native_mpi_has_work_there_is_a_look_in_each_turn_and_no_sleep)
{
    ftc_library.oversubscribed = true;
    wait_with(false, 1);
    has_native_work = true;
    wait_with(false, 1);
    sleeps = looks = 0;
    wait_with(false, 1);
    ck_assert_int_eq(sleeps, 0);
    ck_assert_int_eq(looks, FEW_TURNS);
    has_native_work = false;
    wait_with(false, 1);
    ck_assert_int_gt(sleeps, FEW_TURNS / 2);
}
END_TEST

/* A core of its own: what native MPI has to do does not make the wait longer. */
START_TEST(who_keeps_the_core_looks_in_each_turn_too)
{
    has_native_work = true;
    wait_with(false, 1);
    ck_assert_int_eq(yields, 0);
    ck_assert_int_gt(looks, FEW_TURNS - 2 * NATIVE_TURNS);
    has_native_work = false;
    looks = 0;
    wait_with(false, 1);
    ck_assert_int_lt(looks, 4 * NATIVE_TURNS);
}
END_TEST

/* A loop that calls native MPI itself, in each turn. */
START_TEST(nor_does_a_loop_of_native_calls_sleep)
{
    for (int i = 0; i < FEW_TURNS; i++)
        ftc_wait_native_turn(&turns);
    ck_assert_int_eq(sleeps, 0);
    ftc_library.oversubscribed = true;
    for (int i = 0; i < FEW_TURNS; i++) {
        ftc_polls_have_found = true;
        ftc_wait_native_turn(&turns);
    }
    ck_assert_int_eq(sleeps, 0);
    for (int i = 0; i < FEW_TURNS; i++)
        ftc_wait_native_turn(&turns);
    ck_assert_int_gt(sleeps, FEW_TURNS / 2);
}
END_TEST

/* Until it has it: whoever waits must give up the lock in between. */
START_TEST(another_thread_gets_the_lock)
{
    pthread_t thread;

    ftc_library.threaded = ftc_library.locked = true;
    memory.board.rank[0].activity.inside = 1;
    ftc_library_lock();
    pthread_create(&thread, NULL, come_in, NULL);
    while (!atomic_load(&has_come_in)) {
        ftc_wait_reset(&turns);
        ftc_wait_turn(&turns, &comm);
    }
    ftc_library_unlock();
    pthread_join(thread, NULL);
}
END_TEST

/* Whatever becomes of its operation meanwhile: the others may have gone on without this host. */
START_TEST(whose_host_may_be_lost_does_not_go_on)
{
    ftc_library.oversubscribed = true;
    wait_with(false, 1);
    ck_assert_int_eq(awaited_leases, 0);
    ftc_library.board.geometry.other_hosts = 1;
    ftc_lease_agree(&ftc_library.board, true);
    wait_with(false, 1);
    ck_assert_int_eq(awaited_leases, 1);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("wait");
    tcase_add_checked_fixture(unit_case, setup, NULL);
    UNIT_TEST(a_short_wait_keeps_the_core);
    UNIT_TEST(also_one_of_several_threads);
    UNIT_TEST(threads_that_wait_together_leave_the_core_to_each_other);
    UNIT_TEST(more_ranks_than_cores_leave_it_to_each_other);
    UNIT_TEST(with_links_the_core_is_kept_for_fewer_turns);
    UNIT_TEST(a_long_wait_is_slept_through);
    UNIT_TEST(while_native_mpi_has_work_there_is_a_look_in_each_turn_and_no_sleep);
    UNIT_TEST(who_keeps_the_core_looks_in_each_turn_too);
    UNIT_TEST(nor_does_a_loop_of_native_calls_sleep);
    UNIT_TEST(another_thread_gets_the_lock);
    UNIT_TEST(whose_host_may_be_lost_does_not_go_on);
    UNIT_END();
}
