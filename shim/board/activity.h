/* activity: whether a rank is inside of a call that it carries out here, for which communicator,
 * and the signs of life that it gives while it waits.
 *
 * A rank writes its own, under the library's lock; all may read. */
#ifndef FTC_BOARD_ACTIVITY_H
#define FTC_BOARD_ACTIVITY_H

#include "board.h"

static inline struct ftc_board_activity *ftc_activity_of(const struct ftc_board *board,
                                                         uint32_t rank)
{
    return &board->shared->rank[rank].activity;
}

/* Adds @change, with the lock held: no other thread of this process counts. A reader that sees it
 * sees what the rank wrote before, and the rank has read what it read before (release, with
 * ftc_activity_get()). */
static inline void ftc_activity_add(_Atomic uint32_t *number, int change)
{
    uint32_t before = atomic_load_explicit(number, memory_order_relaxed);

    atomic_store_explicit(number, before + (uint32_t)change, memory_order_release);
}

static inline uint32_t ftc_activity_get(const _Atomic uint32_t *number)
{
    return atomic_load_explicit(number, memory_order_acquire);
}

/* ---- the rank itself ---- */

/* A thread goes into a call on the communicator. */
static inline void ftc_activity_enter(struct ftc_board *board, uint32_t self,
                                      uint64_t communicator_id)
{
    struct ftc_board_activity *a = ftc_activity_of(board, self);

    atomic_store_explicit(&a->communicator_id, communicator_id, memory_order_release);
    ftc_activity_add(&a->version, 1);
    ftc_activity_add(&a->inside, 1);
}

static inline void ftc_activity_leave(struct ftc_board *board, uint32_t self)
{
    ftc_activity_add(&ftc_activity_of(board, self)->inside, -1);
}

/* The call that was entered last goes on beside the program, as nonblocking ones do, @change 1; or
 * that has ended, -1. */
static inline void ftc_activity_beside(struct ftc_board *board, uint32_t self, int change)
{
    ftc_activity_add(&ftc_activity_of(board, self)->beside, change);
}

/* A thread goes into an operation of the program, @change 1, or has left it, -1. Without the lock.
 */
static inline void ftc_activity_combine(struct ftc_board *board, uint32_t self, int change)
{
    atomic_fetch_add(&ftc_activity_of(board, self)->combining, (uint32_t)change);
}

/* The last call, which is never left. */
static inline void ftc_activity_enter_for_good(struct ftc_board *board, uint32_t self)
{
    atomic_store(&ftc_activity_of(board, self)->is_last, 1);
    atomic_fetch_add(&ftc_activity_of(board, self)->inside, 1);
}

/* monitor = timeout: a sign of life. */
static inline void ftc_activity_beat(struct ftc_board *board, uint32_t self)
{
    atomic_fetch_add(&ftc_activity_of(board, self)->heartbeat, 1);
}

/* ---- everybody ---- */

/* Calls of @rank that are under way. */
static inline uint32_t ftc_activity_inside(const struct ftc_board *board, uint32_t rank)
{
    return ftc_activity_get(&ftc_activity_of(board, rank)->inside);
}

/* Threads of @rank that wait in a call. */
static inline uint32_t ftc_activity_waiting(const struct ftc_board *board, uint32_t rank)
{
    const struct ftc_board_activity *a = ftc_activity_of(board, rank);
    uint32_t beside = ftc_activity_get(&a->beside);
    uint32_t inside = ftc_activity_inside(board, rank);

    return inside > beside ? inside - beside : 0;
}

/* Whether @rank computes in an operation of the program. */
static inline bool ftc_activity_combines(const struct ftc_board *board, uint32_t rank)
{
    return ftc_activity_get(&ftc_activity_of(board, rank)->combining) > 0;
}

/* The communicator of the call that @rank went into last. */
static inline uint64_t ftc_activity_communicator(const struct ftc_board *board, uint32_t rank)
{
    return atomic_load_explicit(&ftc_activity_of(board, rank)->communicator_id,
                                memory_order_acquire);
}

static inline bool ftc_activity_is_last(const struct ftc_board *board, uint32_t rank)
{
    return ftc_activity_get(&ftc_activity_of(board, rank)->is_last) != 0;
}

/* Whether @rank is in a call, and the last that it went into was on the communicator. */
static inline bool ftc_activity_is_on(const struct ftc_board *board, uint32_t rank,
                                      uint64_t communicator_id)
{
    struct ftc_board_activity *a = ftc_activity_of(board, rank);

    return atomic_load(&a->inside) != 0 && atomic_load(&a->communicator_id) == communicator_id;
}

/* Grows with each call. */
static inline uint32_t ftc_activity_version(const struct ftc_board *board, uint32_t rank)
{
    return ftc_activity_get(&ftc_activity_of(board, rank)->version);
}

/* Grows with each sign of life. */
static inline uint64_t ftc_activity_heartbeat(const struct ftc_board *board, uint32_t rank)
{
    return atomic_load(&ftc_activity_of(board, rank)->heartbeat);
}

#endif
