/* native_poll: calls that only test. All threads share one mark: as long as one of them finds
 * something, the process makes progress. */
#include "native_poll.h"

#include "board/rank_state.h"
#include "call_members.h"
#include "system/clock.h"

static atomic_flag poll_is_taken = ATOMIC_FLAG_INIT;
static struct {
    bool is_open, needs_dead;
    enum ftc_call_kind kind; /* the test that was examined last */
    int handle, peer;
} poll;

static void end_poll(void)
{
    if (poll.is_open)
        ftc_mark_end(&ftc_native_call_marks[FTC_BOARD_POLL]);
    poll.is_open = false;
}

static bool is_dead(int32_t world)
{
    return world >= 0 && ftc_board_is_dead(&ftc_library.board, (uint32_t)world);
}

static bool needs_dead(unsigned place, int32_t need)
{
    const struct ftc_call_members *m = &ftc_call_members[place];

    if (need >= 0)
        return is_dead(need);
    for (int i = 0; i < m->size; i++)
        if (is_dead(ftc_call_members_world(m, i)))
            return true;
    return false;
}

/* Describes the members for @handle. Returns false if @handle is not valid. Ends the mark first,
 * because it may use the same place. */
static bool describe_for_poll(unsigned place, int handle, ftc_describe_it *describe_it)
{
    if (ftc_call_members_are_of(place, handle))
        return true;
    end_poll();
    return ftc_describe(place, handle, describe_it);
}

/* Shows the mark of a test. If different tests take turns, the mark shows one that needs a dead
 * rank, if there is one. */
static void examine(enum ftc_call_kind kind, int handle, ftc_describe_it *describe_it, int peer,
                    const void *return_address)
{
    unsigned place = ftc_call_members_slot(FTC_BOARD_POLL, handle);
    bool dead;
    int32_t need;

    if (!describe_for_poll(place, handle, describe_it) ||
        !ftc_call_members_need(place, peer, &need))
        return;
    poll.kind = kind;
    poll.handle = handle;
    poll.peer = peer;
    dead = needs_dead(place, need);
    if (poll.is_open && (poll.needs_dead || !dead))
        return;
    end_poll();
    ftc_native_call_write_mark(&ftc_native_call_marks[FTC_BOARD_POLL], kind, place, need,
                               return_address);
    poll.is_open = true;
    poll.needs_dead = dead;
}

static bool is_examined(enum ftc_call_kind kind, int handle, int peer)
{
    return poll.is_open && poll.needs_dead && poll.kind == kind && poll.handle == handle &&
           poll.peer == peer &&
           ftc_call_members_are_of(ftc_call_members_slot(FTC_BOARD_POLL, handle), handle);
}

static inline void found_nothing(enum ftc_call_kind kind, int handle, ftc_describe_it *describe_it,
                                 int peer, const void *return_address)
{
    if (!ftc_native_call_marks || ftc_native_call_is_inside() ||
        atomic_flag_test_and_set_explicit(&poll_is_taken, memory_order_acquire))
        return;
    if (!is_examined(kind, handle, peer))
        examine(kind, handle, describe_it, peer, return_address);
    ftc_mark_poll(&ftc_native_call_marks[FTC_BOARD_POLL], ftc_clock_ns_of(CLOCK_MONOTONIC_COARSE));
    atomic_flag_clear_explicit(&poll_is_taken, memory_order_release);
}

void ftc_native_call_found_nothing(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                                   const void *return_address)
{
    found_nothing(kind, comm, ftc_describe_comm, peer, return_address);
}

void ftc_native_call_found_nothing_in_window(enum ftc_call_kind kind, MPI_Win win,
                                             const void *return_address)
{
    found_nothing(kind, win, ftc_describe_win, FTC_ALL_MEMBERS, return_address);
}

void ftc_native_call_found(void)
{
    if (!ftc_native_call_marks ||
        atomic_flag_test_and_set_explicit(&poll_is_taken, memory_order_acquire))
        return;
    end_poll();
    atomic_flag_clear_explicit(&poll_is_taken, memory_order_release);
}
