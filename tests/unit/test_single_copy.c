/* Copies out of the memory of a rank that has died. For UCX all bytes have been read, and the copy
 * never completes. Otherwise UCX would end the process (p2p/single_copy.h). */
#include "board/rank_state.h"
#include "library.h"
#include "mpi/inside.h"
#include "p2p/single_copy.h"
#include "p2p/ucx.h"
#include "unit_board.h"

#include <errno.h>
#include <signal.h>

enum { RANKS = 2, PEER = 1, PEER_PID = 4711, BYTES = 100, PARTS = 2, IN_PROGRESS = 1 };

struct ftc_library ftc_library;

static int completed;                    /* copies whose end UCX has learned */
static struct ftc_uct_completion *given; /* to the function of UCX */

static char data[PARTS][BYTES];
static const struct iovec parts[PARTS] = {{data[0], BYTES}, {data[1], BYTES}};

/* The answer of the kernel, and how often it was asked. */
static ssize_t copied;
static int error, asked;
static bool peer_dies; /* while the kernel copies */

/* ---- what is below ---- */

void *ftc_ucx_find(const char *name)
{
    return (void *)(uintptr_t)name;
}

bool ftc_inside_want(enum ftc_inside part)
{
    return part == FTC_INSIDE_COPIES;
}

static signed char begin_in_ucx(void *ep, const void *iov, size_t iovcnt, uint64_t remote_addr,
                                uintptr_t rkey, struct ftc_uct_completion *completion)
{
    (void)ep, (void)iov, (void)iovcnt, (void)remote_addr, (void)rkey;
    given = completion;
    return IN_PROGRESS;
}

static void kill_peer(void)
{
    ck_assert(ftc_board_mark_failed(&ftc_library.board, PEER, FTC_DEATH_SIGNAL, SIGKILL));
}

static ssize_t read_in_kernel(pid_t pid, const struct iovec *local, unsigned long local_count,
                              const struct iovec *remote, unsigned long remote_count,
                              unsigned long flags)
{
    (void)local, (void)local_count, (void)remote, (void)remote_count, (void)flags;
    ck_assert_int_eq(pid, PEER_PID);
    asked++;
    if (peer_dies)
        kill_peer();
    errno = error;
    return copied;
}

static void complete(struct ftc_uct_completion *own)
{
    ck_assert_int_eq(own->status, 0);
    completed++;
}

/* ---- a copy ---- */

static struct ftc_uct_completion of_ucx = {.func = complete};

static void setup(void)
{
    ftc_library.board = unit_board(unit_geometry(RANKS, 8));
    ftc_board_introduce(&ftc_library.board, PEER, PEER_PID);
    ck_assert(ftc_board_advance(&ftc_library.board, PEER, FTC_RANK_RUNNING));
    ck_assert(ftc_single_copy_open());
    of_ucx.count = 1;
    ck_assert_int_eq(ftc_single_copy_begin(begin_in_ucx, NULL, NULL, 0, 0, 0, &of_ucx),
                     IN_PROGRESS);
}

static ssize_t read_parts(void)
{
    return ftc_single_copy_read(read_in_kernel, PEER_PID, parts, PARTS, parts, PARTS, 0);
}

/* Ends the copy, as UCX does after the last part. */
static void end_copy(void)
{
    if (--given->count == 0)
        given->func(given);
}

static void expect_lost(void)
{
    ck_assert_int_eq(read_parts(), PARTS * BYTES);
    end_copy();
    ck_assert_int_eq(completed, 0);
    ck_assert(ftc_single_copy_take_lost());
    ck_assert(!ftc_single_copy_take_lost());
}

START_TEST(a_copy_out_of_a_living_rank_is_the_kernels)
{
    setup();
    copied = PARTS * BYTES;
    ck_assert_int_eq(read_parts(), PARTS * BYTES);
    end_copy();
    ck_assert_int_eq(asked, 1);
    ck_assert_int_eq(completed, 1);
    ck_assert(!ftc_single_copy_take_lost());
}
END_TEST

START_TEST(the_memory_of_a_rank_that_is_known_to_be_dead_is_not_read)
{
    setup();
    kill_peer();
    expect_lost();
    ck_assert_int_eq(asked, 0);
}
END_TEST

START_TEST(a_process_that_is_gone_was_a_rank_that_has_died)
{
    setup();
    copied = -1;
    error = ESRCH;
    expect_lost();
    ck_assert_int_eq(asked, 1);
}
END_TEST

/* The kernel has freed a part of its memory. */
START_TEST(a_copy_out_of_a_rank_that_is_dying_is_lost)
{
    setup();
    copied = BYTES;
    peer_dies = true;
    expect_lost();
    ck_assert_int_eq(asked, 1);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("single_copy");
    UNIT_TEST(a_copy_out_of_a_living_rank_is_the_kernels);
    UNIT_TEST(the_memory_of_a_rank_that_is_known_to_be_dead_is_not_read);
    UNIT_TEST(a_process_that_is_gone_was_a_rank_that_has_died);
    UNIT_TEST(a_copy_out_of_a_rank_that_is_dying_is_lost);
    UNIT_END();
}
