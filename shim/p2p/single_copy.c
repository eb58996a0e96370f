#include "single_copy.h"

#include "board/rank_state.h"
#include "library.h"
#include "mpi/inside.h"
#include "system/clock.h"
#include "ucx.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

enum { IN_PROGRESS = 1, DYING_NS = 100000000 };

/* Copy under way. UCX uses the completion own in place of its own one, theirs. */
struct copy {
    struct ftc_uct_completion own;
    struct ftc_uct_completion *theirs;
};

static bool is_on;
static _Atomic int under_way;
static _Atomic int lost; /* lost copies whose receives were not given up yet */

/* Result of this thread's last read: its data were lost, because the rank was dead. UCX completes a
 * copy right after its last read. */
static _Thread_local bool is_lost;

bool ftc_single_copy_open(void)
{
    is_on = ftc_ucx_find("uct_scopy_ep_get_zcopy") && ftc_inside_want(FTC_INSIDE_COPIES);
    return is_on;
}

/* ---- the end of a copy ---- */

static void hand_on(struct ftc_uct_completion *theirs, signed char status)
{
    if (status != 0 && theirs->status == 0)
        theirs->status = status;
    if (--theirs->count == 0)
        theirs->func(theirs);
}

static void end(struct ftc_uct_completion *own)
{
    struct copy *copy = (struct copy *)own;
    struct ftc_uct_completion *theirs = copy->theirs;
    signed char status = own->status;

    free(copy);
    atomic_fetch_sub_explicit(&under_way, 1, memory_order_relaxed);
    if (is_lost)
        atomic_fetch_add(&lost, 1);
    else
        hand_on(theirs, status);
}

bool ftc_single_copy_take_lost(void)
{
    int count = atomic_load(&lost);

    while (count > 0)
        if (atomic_compare_exchange_weak(&lost, &count, count - 1))
            return true;
    return false;
}

signed char ftc_single_copy_begin(ftc_uct_get *next, void *ep, const void *iov, size_t iovcnt,
                                  uint64_t remote_addr, uintptr_t rkey,
                                  struct ftc_uct_completion *completion)
{
    struct copy *copy = is_on && completion ? malloc(sizeof *copy) : NULL;
    signed char status;

    if (!copy)
        return next(ep, iov, iovcnt, remote_addr, rkey, completion);
    *copy = (struct copy){.own = {.func = end, .count = 1}, .theirs = completion};
    atomic_fetch_add_explicit(&under_way, 1, memory_order_relaxed);
    status = next(ep, iov, iovcnt, remote_addr, rkey, &copy->own);
    if (status == IN_PROGRESS)
        return status;
    atomic_fetch_sub_explicit(&under_way, 1, memory_order_relaxed);
    free(copy);
    return status;
}

/* ---- the parts of a copy ---- */

/* Returns the world rank of a process of this job, or -1. */
static int32_t world_of(pid_t pid)
{
    const struct ftc_board *board = &ftc_library.board;

    for (uint32_t i = 0; ftc_board_is_open(board) && i < board->geometry.ranks; i++)
        if (ftc_board_pid(board, i) == pid)
            return (int32_t)i;
    return -1;
}

/* Returns whether rank @world is declared dead within DYING_NS. Pages can be gone before the
 * process is: the kernel's out-of-memory killer does that. */
static bool fails_soon(uint32_t world)
{
    uint64_t until_ns = ftc_clock_ns() + DYING_NS;

    while (!ftc_board_is_dead(&ftc_library.board, world)) {
        if (ftc_clock_ns() > until_ns)
            return false;
        sched_yield();
    }
    return true;
}

/* Returns whether @pid is a dead rank, after an incomplete copy. The kernel frees a process's
 * memory before any other process can learn that it has ended. */
static bool is_dead(pid_t pid, int error)
{
    int32_t world = world_of(pid);
    enum ftc_rank_state state;

    if (world < 0)
        return false;
    if (error != ESRCH)
        return fails_soon((uint32_t)world);
    state = ftc_board_state(&ftc_library.board, (uint32_t)world);
    return state == FTC_RANK_RUNNING || state == FTC_RANK_FAILED;
}

/* Returns whether @pid is a rank that is known to be dead. Its memory is not read any more, because
 * each try must have the same result. The memory remains a little longer than the process, and
 * another process may get the process number later. */
static bool is_known_dead(pid_t pid)
{
    const struct ftc_board *board = &ftc_library.board;
    int32_t world;

    if (!ftc_board_is_open(board) || !ftc_board_is_anyone_dead(board))
        return false;
    world = world_of(pid);
    return world >= 0 && ftc_board_is_dead(board, (uint32_t)world);
}

static ssize_t length_of(const struct iovec *iov, unsigned long count)
{
    ssize_t length = 0;

    for (unsigned long i = 0; i < count; i++)
        length += (ssize_t)iov[i].iov_len;
    return length;
}

/* Copies with @next. Returns the bytes copied, or -1 with errno. Sets *@dead if @pid is a dead
 * rank. */
static ssize_t copy_part(ftc_vm_copy *next, pid_t pid, const struct iovec *local,
                         unsigned long local_count, const struct iovec *remote,
                         unsigned long remote_count, unsigned long flags, bool *dead)
{
    ssize_t done;
    int error;

    *dead = is_known_dead(pid);
    if (*dead)
        return 0;
    done = next(pid, local, local_count, remote, remote_count, flags);
    error = done < 0 ? errno : 0;
    if (done < 0 || done < length_of(remote, remote_count)) {
        *dead = is_dead(pid, error);
        errno = error;
    }
    return done;
}

/* Passes the call on if no completion is withheld here, because UCX would then take missing data
 * for data. */
ssize_t ftc_single_copy_read(ftc_vm_copy *next, pid_t pid, const struct iovec *local,
                             unsigned long local_count, const struct iovec *remote,
                             unsigned long remote_count, unsigned long flags)
{
    ssize_t done;

    if (!is_on || atomic_load_explicit(&under_way, memory_order_relaxed) == 0)
        return next(pid, local, local_count, remote, remote_count, flags);
    done = copy_part(next, pid, local, local_count, remote, remote_count, flags, &is_lost);
    return is_lost ? length_of(remote, remote_count) : done;
}

ssize_t ftc_single_copy_write(ftc_vm_copy *next, pid_t pid, const struct iovec *local,
                              unsigned long local_count, const struct iovec *remote,
                              unsigned long remote_count, unsigned long flags)
{
    bool dead;
    ssize_t done;

    if (!is_on)
        return next(pid, local, local_count, remote, remote_count, flags);
    done = copy_part(next, pid, local, local_count, remote, remote_count, flags, &dead);
    return dead ? length_of(remote, remote_count) : done;
}
