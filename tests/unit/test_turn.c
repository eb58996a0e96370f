/* What one turn of the wait loop costs, counted: the kernel stops the process after each
 * instruction. However many ranks there are, a turn in which none of them talks is to cost the
 * same. */
#include "board/publication.h"
#include "progress/execute.h"
#include "progress/mismatch.h"
#include "progress/queue.h"
#include "progress/recovery.h"
#include "progress/running.h"
#include "progress/unexpected.h"
#include "transport/multicast.h"
#include "unit.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    VALUE_BYTES = 8,
    FEW = 16,
    MANY = 256,
    TURNS = 64, /* that are counted: in one of them native MPI has its turn */
    SLEEP_NS = 10000000,
    TOLERATED_PERCENT =
        5, /* among few it meets itself more often, where there is less to look at */
};

static const char *const manner[] = {"spins", "yields", "sleeps"};
enum manner { SPINS, YIELDS, SLEEPS, MANNERS };

static _Atomic uint32_t *turns; /* shared with the process that is counted */
static uint64_t clock_ns;
static bool is_late;

/* ---- what the loop calls besides itself ---- */

/* The second look is long after the first. */
int clock_gettime(clockid_t which, struct timespec *now)
{
    static int looks;

    (void)which;
    clock_ns += is_late && ++looks == 2 ? SLEEP_NS : 1;
    *now = (struct timespec){.tv_nsec = (long)clock_ns};
    return 0;
}

int sched_yield(void)
{
    return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)time;
    (void)left;
    return 0;
}

static int native_turn(MPI_Request request, int *flag, MPI_Status *status)
{
    (void)request;
    (void)status;
    *flag = 0;
    return MPI_SUCCESS;
}

extern __attribute__((visibility("hidden"))) void *_Atomic ftc_mpi_slot[];

/* Stands in for the function of the queue, which the loop calls in each turn. From the second on
 * they are counted. */
bool ftc_queue_go_on(void)
{
    if (atomic_fetch_add(turns, 1) == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
    }
    return false;
}

/* ---- a job of which all ranks wait for each other, without a word ---- */

static void join(const struct ftc_comm *c, uint32_t rank)
{
    const struct ftc_board *b = &ftc_library.board;

    ck_assert_int_eq(ftc_lifeline_begin(ftc_board_lifeline(b, rank)), 0);
    ftc_publication_open(b, rank, c->entry, c->id);
    ftc_publish_call(b, rank, c->entry, c->seq, &c->running->note);
    ftc_publish_attempt(b, rank, c->entry, c->seq, 0);
}

static void open_board(uint32_t ranks)
{
    struct ftc_board_geometry g = {
        .ranks = ranks,
        .entries = 4,
        .entry_stride_bytes = ftc_publication_stride(FTC_TRANSPORT_VALUE_BYTES_MIN),
        .multicast_bytes = ftc_multicast_stride(),
        .ring_depth = 16,
        .message_stride_bytes = ftc_transport_message_stride(FTC_TRANSPORT_VALUE_BYTES_MIN),
    };

    ck_assert_int_eq(ftc_board_create(&ftc_library.board, &g), 0);
    ck_assert_int_eq(ftc_transport_open(&ftc_library.transport, &ftc_library.board, 0), 0);
    ck_assert_int_eq(ftc_unexpected_open(ranks, g.message_stride_bytes), 0);
    ck_assert_int_eq(ftc_recovery_open(), 0);
}

static struct ftc_comm *open_job(uint32_t ranks, enum manner how)
{
    struct ftc_settings_error error;
    struct ftc_comm *c;

    ck_assert_int_eq(ftc_settings_parse_buffer("", 0, &ftc_library.settings, &error), 0);
    ftc_mpi_slot[FTC_MPI_Request_get_status] = (void *)(uintptr_t)native_turn;
    ftc_library.world_size = (int)ranks;
    ftc_library.oversubscribed = how != SPINS;
    is_late = how == SLEEPS;
    open_board(ranks);
    ck_assert_int_eq(ftc_comm_open(&ftc_queue_comm_callbacks), 0);
    c = ftc_comm_internal();
    ck_assert_ptr_nonnull(c);
    return c;
}

/* Never ends. */
static void wait_in_allreduce(uint32_t ranks, enum manner how)
{
    static const unsigned char value[VALUE_BYTES];
    struct ftc_call call = {.kind = FTC_CALL_ALLREDUCE};
    struct ftc_loop_request request = {
        .call = &call, .kind = FTC_OP_ALLREDUCE, .value_bytes = VALUE_BYTES, .contribution = value};
    struct ftc_comm *c = open_job(ranks, how);

    ftc_mismatch_enter(&call, c, 1);
    for (uint32_t rank = 1; rank < ranks; rank++)
        join(c, rank);
    ftc_queue_busy = c;
    ftc_execute(c, &request);
    abort();
}

/* ---- counting ---- */

static bool step(pid_t pid)
{
    int status;

    ck_assert_int_eq(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
}

/* Of so many turns. */
static uint64_t count(uint32_t ranks, enum manner how)
{
    uint64_t instructions = 0;
    int status;
    pid_t pid;

    atomic_store(turns, 0);
    pid = fork();
    if (pid == 0)
        wait_in_allreduce(ranks, how);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP, "status %x", status);
    while (atomic_load(turns) <= TURNS) {
        ck_assert(step(pid));
        instructions++;
    }
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return instructions;
}

START_TEST(a_turn_costs_the_same_among_many_ranks)
{
    uint64_t of_few = count(FEW, (enum manner)_i), of_many = count(MANY, (enum manner)_i);

    printf("one that %s: %.1f instructions a turn at %d ranks, %.1f at %d, %.1f at 2\n", manner[_i],
           (double)of_few / TURNS, FEW, (double)of_many / TURNS, MANY,
           (double)count(2, (enum manner)_i) / TURNS);
    fflush(stdout);
    ck_assert_uint_le(100 * of_many, (100 + TOLERATED_PERCENT) * of_few);
}
END_TEST

static void setup(void)
{
    turns = mmap(NULL, sizeof *turns, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(turns, MAP_FAILED);
}

int main(void)
{
    UNIT_BEGIN("turn");
    tcase_add_checked_fixture(unit_case, setup, NULL);
    tcase_add_loop_test(unit_case, a_turn_costs_the_same_among_many_ranks, 0, MANNERS);
    UNIT_END();
}
